#pragma once
// What a client does with the models for itself, at any time, without telling anybody: some more
// steps on its own records ([PMTL] section 5.3). Post-processing of what was released.

#include "local/local_work.hpp"
#include "settings/table.hpp"

namespace trilemma {

class Finetuning {
 public:
  virtual ~Finetuning() = default;
  /// The model that client `client` ends with, on the records of its shard, from its model `from`;
  /// x is the common model, which stays. Valid until the next call; empty = there is no
  /// finetuning. The same call gives a bit-identical model.
  virtual ConstView tune(Problem& problem, const Dataset& shard, std::uint32_t client,
                         ConstView from, ConstView x) = 0;
};

/// Reads the section `finetune`; `problem` is what it will work on.
using FinetuningMaker = std::unique_ptr<Finetuning> (*)(Settings& finetune, std::uint64_t seed,
                                                        const Problem& problem);

/// none, vanilla, mean-regularised, symmetrised-kl, ewc.
std::span<const Row<FinetuningMaker>> finetunings();

/// What ties a finetuned model w to the common model x: the gradient of a penalty.
class Penalty {
 public:
  virtual ~Penalty() = default;
  /// Before the first step, which starts at `from`.
  virtual void begin(Problem&, const Dataset&, ConstView /*from*/) {}
  /// g += gradient of the penalty at w; `rows` are the records of the step.
  virtual void add_gradient(Problem& problem, const Dataset& shard, Coordinates rows, ConstView w,
                            ConstView x, View g) = 0;
};

/// Steps of finetuning.
struct FinetuneSteps {
  double rate = 0.02;
  long count = 10;
  std::size_t batch = 100;
  std::uint64_t seed = 1;
};

/// Reads rate, steps and batch; reads pull.
FinetuneSteps read_finetune_steps(Settings& finetune, std::uint64_t seed);
double read_finetune_pull(Settings& finetune);

/// w -= rate (grad l(w) + gradient of the penalty), each step on a minibatch of its own, l the mean
/// loss with the regulariser.
std::unique_ptr<Finetuning> make_finetuning(const FinetuneSteps& steps,
                                            std::unique_ptr<Penalty> penalty);

/// (lambda/2) times the mean over the step's records of KL(p_w || p_x) + KL(p_x || p_w), of the
/// class probabilities at w and x.
std::unique_ptr<Penalty> make_kl_penalty(double lambda);
/// (lambda/2) sum_j F_j (w_j - x_j)^2, F the mean over minibatches of `batch` neighbours (one pass
/// over the shard) of the squared gradient of their mean loss at the first model (elastic weight
/// consolidation; Kirkpatrick et al. 2017).
std::unique_ptr<Penalty> make_ewc_penalty(double lambda, std::size_t batch);

}  // namespace trilemma
