#pragma once
// Finetuning: further steps that a client takes on its own records, starting from a released model,
// without sending anything ([PMTL] section 5.3).

#include "local/local_work.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Finetunes models for single clients.
class Finetuning {
 public:
  virtual ~Finetuning() = default;
  /// Returns the finetuned model of client `client`, trained on the records of `shard` from its
  /// model `from`; x is the common model. Valid until the next call; empty = no finetuning. Equal
  /// arguments give a bit-identical model.
  virtual ConstView tune(Problem& problem, const Dataset& shard, std::uint32_t client,
                         ConstView from, ConstView x) = 0;
};

/// Makes a finetuning of `problem`.
using FinetuningMaker =
    std::function<std::unique_ptr<Finetuning>(std::uint64_t seed, const Problem& problem)>;

/// Returns the table of kinds: none, vanilla, mean-regularised, symmetrised-kl, ewc.
std::span<const Row<FinetuningMaker>> finetunings();

/// The gradient of a penalty that ties a finetuned model w to the common model x.
class Penalty {
 public:
  virtual ~Penalty() = default;
  /// Prepares for the steps of a shard, which start at `from`.
  virtual void begin(Problem&, const Dataset&, ConstView /*from*/) {}
  /// Adds the gradient of the penalty at w to g; `rows` are the records of the step.
  virtual void add_gradient(Problem& problem, const Dataset& shard, Coordinates rows, ConstView w,
                            ConstView x, View g) = 0;
};

/// Parameters of the finetuning steps.
struct FinetuneSteps {
  double rate = 0.02;
  long count = 10;
  std::size_t batch = 100;
  std::uint64_t seed = 1;

  void read(Reader& r);
  FinetuneSteps with_seed(std::uint64_t other) const {
    FinetuneSteps steps = *this;
    steps.seed = other;
    return steps;
  }
};

/// Steps that are tied to the common model.
struct PulledSteps {
  FinetuneSteps steps;
  double pull = 10;
  void read(Reader& r);
};

/// Returns finetuning by w -= rate (grad l(w) + gradient of the penalty), where each step draws a
/// minibatch and l is the mean loss with the regulariser.
std::unique_ptr<Finetuning> make_finetuning(const FinetuneSteps& steps,
                                            std::unique_ptr<Penalty> penalty);

/// Returns (lambda/2) times the mean over the records of a step of KL(p_w || p_x) + KL(p_x || p_w),
/// with the class probabilities p at w and x.
std::unique_ptr<Penalty> make_kl_penalty(double lambda);
/// Returns (lambda/2) sum_j F_j (w_j - x_j)^2, where F is the mean of the squared gradients of the
/// mean loss at the start model, over minibatches of `batch` consecutive records in one pass over
/// the shard (elastic weight consolidation; Kirkpatrick et al. 2017).
std::unique_ptr<Penalty> make_ewc_penalty(double lambda, std::size_t batch);

}  // namespace trilemma
