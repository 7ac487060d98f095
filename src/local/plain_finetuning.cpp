#include "local/finetuning.hpp"

namespace trilemma {
namespace {

class NoFinetuning final : public Finetuning {
 public:
  ConstView tune(Problem&, const Dataset&, std::uint32_t, ConstView, ConstView) override {
    return {};
  }
};

class NoPenalty final : public Penalty {
 public:
  void add_gradient(Problem&, const Dataset&, Coordinates, ConstView, ConstView, View) override {}
};

// Penalty (lambda/2) ||w - x||^2.
class MeanRegularised final : public Penalty {
 public:
  explicit MeanRegularised(double lambda) : lambda_(static_cast<real>(lambda)) {}
  void add_gradient(Problem&, const Dataset&, Coordinates, ConstView w, ConstView x,
                    View g) override {
    for (std::size_t j = 0; j < g.size(); ++j) g[j] += lambda_ * (w[j] - x[j]);
  }

 private:
  real lambda_;
};

std::unique_ptr<Finetuning> make_none(std::uint64_t, const Problem&) {
  return std::make_unique<NoFinetuning>();
}
std::unique_ptr<Finetuning> make_vanilla(const FinetuneSteps& steps, std::uint64_t seed,
                                         const Problem&) {
  return make_finetuning(steps.with_seed(seed), std::make_unique<NoPenalty>());
}
std::unique_ptr<Finetuning> make_mean(const PulledSteps& options, std::uint64_t seed,
                                      const Problem&) {
  return make_finetuning(options.steps.with_seed(seed),
                         std::make_unique<MeanRegularised>(options.pull));
}

}  // namespace

Row<FinetuningMaker> no_finetuning() {
  return part_without_settings("none", "no finetuning", make_none);
}
Row<FinetuningMaker> vanilla_finetuning() {
  return part_with_settings("vanilla", "steps on the client's own loss", make_vanilla);
}
Row<FinetuningMaker> mean_regularised_finetuning() {
  return part_with_settings("mean-regularised", "with a pull to the common model", make_mean);
}

}  // namespace trilemma
