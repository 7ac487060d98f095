#pragma once
// When an experiment looks at its model, and what it then wants to know.

#include "settings/reader.hpp"

namespace trilemma {

struct EvaluationPlan {
  long every = 1;         ///< rounds between two evaluations; 0 = none
  std::vector<long> at;   ///< numbers of finished rounds, ascending; in place of `every`
  bool objective = true;  ///< f and its gradient; else test scores only
  bool optimum = false;   ///< find the minimum, for the column suboptimality

  /// Reads the section `evaluate`: `at` where it is set, otherwise `every`. Where both are set, the
  /// one that is asked for holds.
  void read(Reader& r);
  /// True where the state after `done` rounds is evaluated; the start and the last round always
  /// are.
  bool is_due(long done) const;
};

/// Reads the section `evaluate` of an experiment of `rounds` rounds. Refuses a list that does not
/// ascend or has rounds after the last one, and a list and `every` of the same origin.
EvaluationPlan read_evaluation(const Settings& experiment, long rounds);

}  // namespace trilemma
