#include "local/finetuning.hpp"

#include <algorithm>

namespace trilemma {

// One declaration and one row for each kind.
Row<FinetuningMaker> no_finetuning();
Row<FinetuningMaker> vanilla_finetuning();
Row<FinetuningMaker> mean_regularised_finetuning();
Row<FinetuningMaker> symmetrised_kl_finetuning();
Row<FinetuningMaker> ewc_finetuning();

namespace {

class Steps final : public Finetuning {
 public:
  Steps(const FinetuneSteps& steps, std::unique_ptr<Penalty> penalty)
      : steps_(steps),
        penalty_(std::move(penalty)),
        sampler_(row(samplers(), "without-replacement").make()) {}

  ConstView tune(Problem& problem, const Dataset& shard, std::uint32_t client, ConstView from,
                 ConstView x) override {
    RecordGradients gradients(problem, {});
    const std::size_t batch = std::min(steps_.batch, shard.size());
    const auto rate = static_cast<real>(steps_.rate);
    w_.assign(from.begin(), from.end());
    penalty_->begin(problem, shard, w_);
    for (long t = 0; t < steps_.count; ++t) {
      sampler_->draw({steps_.seed, Purpose::finetune, client, static_cast<std::uint32_t>(t)},
                     shard.size(), batch, rows_);
      g_.assign(w_.size(), real{0});
      gradients.add(shard, rows_, w_, 1.0 / static_cast<double>(batch), g_);
      problem.add_regulariser_gradient(w_, g_);
      penalty_->add_gradient(problem, shard, rows_, w_, x, g_);
      for (std::size_t j = 0; j < w_.size(); ++j) w_[j] -= rate * g_[j];
    }
    return w_;
  }

 private:
  FinetuneSteps steps_;
  std::unique_ptr<Penalty> penalty_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<std::uint32_t> rows_;
  Vector w_, g_;
};

}  // namespace

void FinetuneSteps::read(Reader& r) {
  r("rate", rate, positive(), "step size of finetuning");
  r("steps", count, {.low = 1, .high = 1e6, .unit = "steps"}, "steps of finetuning");
  r("batch", batch, at_least(1),
    "records in a minibatch of finetuning; a client with fewer takes all");
}

void PulledSteps::read(Reader& r) {
  steps.read(r);
  r("pull", pull, at_least(0),
    "lambda: weight of the penalty that ties the finetuned model to the common one");
}

std::unique_ptr<Finetuning> make_finetuning(const FinetuneSteps& steps,
                                            std::unique_ptr<Penalty> penalty) {
  return std::make_unique<Steps>(steps, std::move(penalty));
}

std::span<const Row<FinetuningMaker>> finetunings() {
  static const Row<FinetuningMaker> table[] = {
      no_finetuning(),
      vanilla_finetuning(),
      mean_regularised_finetuning(),
      symmetrised_kl_finetuning(),
      ewc_finetuning(),
  };
  return table;
}

}  // namespace trilemma
