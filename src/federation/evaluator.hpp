#pragma once

#include <limits>

#include "base/metric_log.hpp"
#include "comm/ranks.hpp"
#include "federation/test_tally.hpp"
#include "local/finetuning.hpp"
#include "method/state_shape.hpp"
#include "numeric/tree_sum.hpp"

namespace trilemma {

/// Scores of the clients, each with its own model (or the common one) on the records that it holds
/// out: accuracy, or root mean squared error where targets are real. NaN without such records.
struct ClientScores {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double mean = none, weighted = none;  ///< over clients, all alike or by their number of records
  double tenth = none, median = none, ninetieth = none;  ///< quantiles, by the nearest rank
};

/// Exact metrics of a state. NaN where there are no records for them, or they were not asked for.
struct Metrics {
  static constexpr double none = ClientScores::none;
  double objective = none;
  double gradient_norm_squared = none;
  double accuracy = none;              ///< on test records; NaN for real targets
  double test_error = none;            ///< root mean squared, on test records; NaN for classes
  double test_loss = none;             ///< mean of the problem's loss over test records
  std::vector<double> class_accuracy;  ///< accuracy on the test records of each class, or empty
  ClientScores clients;                ///< with their models
  ClientScores finetuned;              ///< with what these become after finetuning
};

/// Records that nobody trains on.
struct TestRecords {
  Dataset common;                 ///< this rank's part of a test set of all, or none
  std::size_t common_total = 0;   ///< on all ranks
  std::size_t hosts = 1;          ///< ranks that have a part
  std::vector<Dataset> held_out;  ///< by slot, where clients hold records out
  bool are_held_out = false;      ///< by the clients, on whatever rank
  std::size_t classes = 2;        ///< of all records; 0 = real targets
};

/// What an evaluator looks at; owned elsewhere, but for the test records.
struct EvaluatorParts {
  Problem* problem;
  std::vector<const Dataset*> shards;
  Placement place;
  TestRecords test;
  const LocalWork* work;  ///< knows the clients' own models
  StateShape shape;       ///< knows the common one
  Finetuning* finetuning;
  MetricLog* metric_log;
  const Optimum* optimum = nullptr;  ///< of the objective, where it is known
  std::vector<double> weight = {};   ///< of the objective's mean over clients, by slot; empty = 1
};

/// Evaluates f, its gradient and the test scores over all ranks, in double, and notes them. Sums
/// run along the tree of client numbers, test records are counted, so the result does not depend on
/// the placement.
class Evaluator {
 public:
  explicit Evaluator(EvaluatorParts parts);

  /// Evaluates the server's state. Collective; the result is meaningful on rank 0. Objective and
  /// gradient are NaN unless `with_objective`.
  Metrics evaluate(ConstView state, Ranks& ranks, bool with_objective = true);
  /// What a restart must find again, on rank 0.
  void persist(State& state) {
    state.value(utility_sum_);
    state.value(evaluations_);
  }

 private:
  void observe(ConstView x, const Metrics& metrics);
  void observe_scores(const std::string& prefix, const ClientScores& scores);
  void evaluate_objective(ConstView x, Ranks& ranks, Metrics& metrics);
  void sum_over_clients(const TreeSum& own, Ranks& ranks);
  std::vector<BatchScore> block_scores(const Dataset& records, ConstView x);
  BatchScore score(const Dataset& records, ConstView x);
  bool have_classes() const { return parts_.test.classes > 0; }
  void score_client(std::size_t slot, ConstView state, ConstView x);
  void evaluate_common(ConstView x, Ranks& ranks, Metrics& metrics);
  void set_test_scores(const BatchScore& sum, double records, std::span<const double> counts,
                       Metrics& metrics) const;
  void evaluate_held_out(ConstView state, ConstView x, Ranks& ranks, Metrics& metrics);

  EvaluatorParts parts_;
  TestTally tally_;
  Vector common_room_, own_room_;
  std::vector<double> part_, mean_;
  double utility_sum_ = 0;  ///< of the squared gradient norms of so many states
  std::uint64_t evaluations_ = 0;
};

/// Rows of a test set that belong to one of `hosts` hosts: blocks of fixed size, dealt in turn. The
/// same blocks are formed for any number of hosts.
std::vector<std::uint32_t> test_rows(std::size_t total, std::size_t host, std::size_t hosts);

}  // namespace trilemma
