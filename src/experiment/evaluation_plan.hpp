#pragma once
// Schedule and contents of the evaluations of an experiment.

#include "settings/reader.hpp"

namespace trilemma {

struct EvaluationPlan {
  long every = 1;         ///< rounds between two evaluations; 0 = only at the start and end
  std::vector<long> at;   ///< numbers of finished rounds, ascending; replaces `every`
  bool objective = true;  ///< evaluate f and its gradient; otherwise test scores only
  bool optimum = false;   ///< compute the minimum, for the column suboptimality
  long nodes = 0;         ///< decentralised methods: nodes whose own models are evaluated too

  /// Reads the section `evaluate`: `at` if it is set, otherwise `every`. If both are set, a key of
  /// the command line or a sweep wins.
  void read(Reader& r);
  /// Returns whether the state after `done` rounds is evaluated. The start and the last round
  /// always are, whatever this function returns.
  bool is_due(long done) const;
};

/// Reads the section `evaluate` of an experiment with `rounds` rounds and, if its method is
/// decentralised, `nodes` nodes (otherwise 0). Throws UserError if `at` does not ascend or exceeds
/// `rounds`, if `at` and `every` have the same origin, or for more nodes than there are.
EvaluationPlan read_evaluation(const Settings& experiment, long rounds, long nodes);

}  // namespace trilemma
