#include <algorithm>
#include <numeric>

#include "local/finetuning.hpp"

namespace trilemma {
namespace {

class EwcPenalty final : public Penalty {
 public:
  EwcPenalty(double lambda, std::size_t batch)
      : lambda_(static_cast<real>(lambda)), batch_(batch) {}

  void begin(Problem& problem, const Dataset& shard, ConstView from) override {
    RecordGradients gradients(problem, {});
    std::vector<std::uint32_t> rows(shard.size());
    std::iota(rows.begin(), rows.end(), 0U);
    const std::size_t batches = (rows.size() + batch_ - 1) / batch_;
    fisher_.assign(from.size(), real{0});
    for (std::size_t first = 0; first < rows.size(); first += batch_) {
      const std::size_t count = std::min(batch_, rows.size() - first);
      mean_.assign(from.size(), real{0});
      gradients.add(shard, Coordinates(rows).subspan(first, count), from,
                    1.0 / static_cast<double>(count), mean_);
      const auto share = static_cast<real>(1.0 / static_cast<double>(batches));
      for (std::size_t j = 0; j < mean_.size(); ++j) fisher_[j] += share * mean_[j] * mean_[j];
    }
  }

  void add_gradient(Problem&, const Dataset&, Coordinates, ConstView w, ConstView x,
                    View g) override {
    for (std::size_t j = 0; j < g.size(); ++j) g[j] += lambda_ * fisher_[j] * (w[j] - x[j]);
  }

 private:
  real lambda_;
  std::size_t batch_;
  Vector fisher_, mean_;
};

std::unique_ptr<Finetuning> make_ewc(const PulledSteps& options, std::uint64_t seed,
                                     const Problem&) {
  return make_finetuning(options.steps.with_seed(seed),
                         make_ewc_penalty(options.pull, options.steps.batch));
}

}  // namespace

std::unique_ptr<Penalty> make_ewc_penalty(double lambda, std::size_t batch) {
  return std::make_unique<EwcPenalty>(lambda, batch);
}

Row<FinetuningMaker> ewc_finetuning() {
  return part_with_settings("ewc", "with a pull to the common model, weighted by squared gradients",
                            make_ewc);
}

}  // namespace trilemma
