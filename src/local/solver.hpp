#pragma once
// Local solvers: local work that takes several steps from the model of the round.

#include "local/local_work.hpp"

namespace trilemma {

/// A kind of solver: a row of solvers().
struct SolverKind {
  std::unique_ptr<LocalWork> (*make)(const LocalSetup&);
  bool uses_batch;
  SolverFamily family;
  StateMoves moves;      ///< when the state changes that persist() of a client saves
  bool is_pass = false;  ///< takes one step per record, whatever number of steps is set
};

/// Returns the table of solvers: gd, sgd, cyclic, personal-gd, personal-sgd, additive-gd,
/// additive-sgd, scaffold-gd, scaffold-sgd, block-gd, block-sgd, averaged-gd, averaged-sgd,
/// zeroth-gd, zeroth-sgd.
std::span<const Row<SolverKind>> solvers();

/// Defaults that a method sets for its local steps; the section `local` overrides them.
struct StepDefaults {
  const char* solver = "gd";
  double rate = 0.1;
  double pull = 0;
  Update update = Update::difference;
  bool divides_rate = false;
  bool only_one = false;  ///< exactly one step
  bool is_timed = false;  ///< a clock counts the steps
  bool is_fixed = false;  ///< pull and update cannot be chosen
};
LocalSteps read_local_steps(Settings local, const StepDefaults& defaults);

/// Returns the key of the minibatches of step `step` of a round. Its round counts steps of
/// `minibatches` minibatches each, so that every minibatch has its own stream.
inline Key step_key(Key key, const LocalSteps& steps, long step, std::size_t minibatches = 1) {
  const auto of_round =
      static_cast<std::uint32_t>(steps.count) * static_cast<std::uint32_t>(minibatches);
  key.round = key.round * of_round + static_cast<std::uint32_t>(step);
  return key;
}

/// Returns local work that takes full-gradient steps of linear models in the span of the client's
/// records where these are few, and uses `plain` otherwise. Equal to `plain` up to rounding.
std::unique_ptr<LocalWork> in_span(const LocalSetup& setup, std::unique_ptr<LocalWork> plain);

}  // namespace trilemma
