#pragma once
// When an experiment looks at its model, and what it then wants to know.

#include "settings/settings.hpp"

namespace trilemma {

struct EvaluationPlan {
  long every = 1;         ///< rounds between two evaluations; 0 = none
  std::vector<long> at;   ///< numbers of finished rounds, ascending; in place of `every`
  bool objective = true;  ///< f and its gradient; else test scores only
  bool optimum = false;   ///< find the minimum, for the column suboptimality

  /// True where the state after `done` rounds is evaluated; the start and the last round always
  /// are.
  bool is_due(long done) const;
};

/// Reads the section `evaluate` of an experiment of so many rounds. Refuses a list that does not
/// ascend or leaves the rounds, and a list beside `every`; of a key in the file and one on the
/// command line the latter holds.
EvaluationPlan read_evaluation(const Settings& experiment, long rounds);

/// Lists the keys of the section.
void declare_evaluation(const Settings& experiment);

}  // namespace trilemma
