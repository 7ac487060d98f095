#pragma once
// Local solvers: local work that takes several steps away from the model of the round.

#include "local/local_work.hpp"

namespace trilemma {

struct SolverKind {
  std::unique_ptr<LocalWork> (*make)(const LocalSetup&);
  bool uses_batch;
  SolverFamily family;
  bool is_pass = false;  ///< a step for each record, however many steps are asked for
};

/// gd, sgd, cyclic, personal-gd, personal-sgd, additive-gd, additive-sgd, scaffold-gd,
/// scaffold-sgd, block-gd, block-sgd.
std::span<const Row<SolverKind>> solvers();

/// Number of the minibatch that step `step` of a round draws: the rounds of its key are counted in
/// steps, so that every step has a stream of its own.
inline Key step_key(Key key, const LocalSteps& steps, long step) {
  key.round =
      key.round * static_cast<std::uint32_t>(steps.count) + static_cast<std::uint32_t>(step);
  return key;
}

}  // namespace trilemma
