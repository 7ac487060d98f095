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

std::unique_ptr<Finetuning> make_none(Settings&, std::uint64_t, const Problem&) {
  return std::make_unique<NoFinetuning>();
}
std::unique_ptr<Finetuning> make_vanilla(Settings& finetune, std::uint64_t seed, const Problem&) {
  return make_finetuning(read_finetune_steps(finetune, seed), std::make_unique<NoPenalty>());
}
std::unique_ptr<Finetuning> make_mean(Settings& finetune, std::uint64_t seed, const Problem&) {
  const FinetuneSteps steps = read_finetune_steps(finetune, seed);
  return make_finetuning(steps, std::make_unique<MeanRegularised>(read_finetune_pull(finetune)));
}

void declare_steps(Settings& finetune) { read_finetune_steps(finetune, 0); }
void declare_all(Settings& finetune) {
  declare_steps(finetune);
  read_finetune_pull(finetune);
}

}  // namespace

Row<FinetuningMaker> no_finetuning() {
  return {"none", "no finetuning", [](Settings&) {}, make_none};
}
Row<FinetuningMaker> vanilla_finetuning() {
  return {"vanilla", "steps on the client's own loss", declare_steps, make_vanilla};
}
Row<FinetuningMaker> mean_regularised_finetuning() {
  return {"mean-regularised", "with a pull to the common model", declare_all, make_mean};
}

}  // namespace trilemma
