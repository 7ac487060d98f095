#pragma once
// Local solvers: local work that takes several steps away from the model of the round.

#include "local/local_work.hpp"

namespace trilemma {

struct SolverKind {
  std::unique_ptr<LocalWork> (*make)(const LocalSetup&);
  bool uses_batch;
  SolverFamily family;
  StateMoves moves;      ///< when the state changes that persist() of a client saves
  bool is_pass = false;  ///< a step for each record, however many steps are asked for
};

/// gd, sgd, cyclic, personal-gd, personal-sgd, additive-gd, additive-sgd, scaffold-gd,
/// scaffold-sgd, block-gd, block-sgd, averaged-gd, averaged-sgd.
std::span<const Row<SolverKind>> solvers();

/// What a method sets of its steps; the rest is read from the section `local`.
struct StepDefaults {
  const char* solver = "gd";
  double rate = 0.1;
  double pull = 0;
  Update update = Update::difference;
  bool divides_rate = false;
  bool only_one = false;  ///< exactly one step
  bool is_timed = false;  ///< a clock counts the steps
  bool is_fixed = false;  ///< neither pull nor update can be chosen
};
LocalSteps read_local_steps(Settings local, const StepDefaults& defaults);

/// Number of the minibatch that step `step` of a round draws: the rounds of its key are counted in
/// steps, of so many minibatches each, so that every one has a stream of its own.
inline Key step_key(Key key, const LocalSteps& steps, long step, std::size_t minibatches = 1) {
  const auto of_round =
      static_cast<std::uint32_t>(steps.count) * static_cast<std::uint32_t>(minibatches);
  key.round = key.round * of_round + static_cast<std::uint32_t>(step);
  return key;
}

/// Full-gradient steps of linear models in the span of the client's records, where these are few;
/// equal to `plain`, which stays for everything else, up to rounding.
std::unique_ptr<LocalWork> in_span(const LocalSetup& setup, std::unique_ptr<LocalWork> plain);

}  // namespace trilemma
