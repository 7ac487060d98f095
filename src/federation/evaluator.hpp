#pragma once

#include <limits>

#include "base/metric_log.hpp"
#include "comm/ranks.hpp"
#include "federation/score_statistics.hpp"
#include "federation/test_tally.hpp"
#include "local/finetuning.hpp"
#include "method/state_shape.hpp"
#include "numeric/tree_sum.hpp"

namespace trilemma {

/// Scores of the clients, each with its own model (or the common one) on its held-out records:
/// accuracy, or root mean squared error for real targets. NaN without such records.
struct ClientScores {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double mean = none, weighted = none;  ///< over clients: equal, or by number of records
  double tenth = none, median = none,
         ninetieth = none;  ///< quantiles over clients, by the nearest rank
};

/// Exact metrics of a state. NaN if there are no records for a metric, or if it was not requested.
struct Metrics {
  static constexpr double none = ClientScores::none;
  double objective = none;
  double gradient_norm_squared = none;
  double accuracy = none;              ///< on test records; NaN for real targets
  double test_error = none;            ///< root mean squared error on test records; NaN for classes
  double test_loss = none;             ///< mean of the problem's loss over test records
  std::vector<double> class_accuracy;  ///< accuracy on the test records of each class, or empty
  ClientScores clients;                ///< with the clients' models
  double client_training_loss = none;  ///< mean over the same clients, with their models
  ClientScores finetuned;              ///< with the clients' models after finetuning
};

/// Records that are not used for training.
struct TestRecords {
  Dataset common;                 ///< this rank's part of the common test set; may be empty
  std::size_t common_total = 0;   ///< number of common test records on all ranks
  std::size_t hosts = 1;          ///< number of ranks that have a part
  std::vector<Dataset> held_out;  ///< by slot, if clients hold out records
  bool are_held_out = false;      ///< whether clients on any rank hold out records
  std::size_t classes = 2;        ///< number of classes; 0 = real targets
};

/// Inputs of an evaluator; owned elsewhere, except the test records.
struct EvaluatorParts {
  Problem* problem;
  std::vector<const Dataset*> shards;
  Placement place;
  TestRecords test;
  const LocalWork* work;  ///< provides the clients' own models
  StateShape shape;       ///< provides the common model
  Finetuning* finetuning;
  MetricLog* metric_log;
  const Optimum* optimum = nullptr;  ///< of the objective, if known
  std::vector<double> weight = {};   ///< in the mean over clients, by slot; empty = 1
  bool has_model_of_each = false;    ///< whether every client has a model of its own
};

/// Declares the metrics of an evaluation; 0 `classes`: records have real targets.
void declare_evaluation(MetricLog& metric_log, std::size_t classes, bool has_model_of_each);

/// Evaluates f, its gradient and the test scores over all ranks, in double, and records them. Sums
/// run along the tree of client numbers and test records are counted, so the result does not depend
/// on the placement.
class Evaluator {
 public:
  explicit Evaluator(EvaluatorParts parts);

  /// Evaluates the server's state. Collective; the result is complete on rank 0. Objective and
  /// gradient are NaN unless `with_objective`.
  Metrics evaluate(ConstView state, Ranks& ranks, bool with_objective = true);
  /// Returns objective and test scores of any model, without recording them; the gradient is NaN,
  /// the objective too unless `with_objective`. Collective; the result is complete on rank 0.
  Metrics scores_of(ConstView x, Ranks& ranks, bool with_objective);
  /// Saves or restores the state, on rank 0.
  void persist(State& state) {
    state.value(utility_sum_);
    state.value(evaluations_);
  }

 private:
  void observe(ConstView x, const Metrics& metrics);
  void observe_scores(const std::string& prefix, const ClientScores& scores);
  double mean_loss(std::size_t slot, ConstView x) const;
  void evaluate_objective(ConstView x, Ranks& ranks, Metrics& metrics);
  std::vector<BatchScore> block_scores(const Dataset& records, ConstView x);
  BatchScore score(const Dataset& records, ConstView x);
  bool have_classes() const { return parts_.test.classes > 0; }
  void evaluate_tests(ConstView state, ConstView x, Ranks& ranks, bool with_objective,
                      Metrics& metrics);
  BatchScore score_of_common(const Dataset& records, ConstView x);
  double score_of_own(std::size_t slot, ConstView model);
  void score_client(std::size_t slot, ConstView state, ConstView x, bool with_loss);
  void evaluate_common(ConstView x, Ranks& ranks, Metrics& metrics);
  void set_test_scores(const BatchScore& sum, double records, std::span<const double> counts,
                       Metrics& metrics) const;
  void evaluate_held_out(ConstView state, ConstView x, Ranks& ranks, bool with_objective,
                         Metrics& metrics);

  EvaluatorParts parts_;
  TestTally tally_;
  ScoreStatistics statistics_;
  Vector common_room_, own_room_;
  std::vector<double> part_, mean_;
  double utility_sum_ = 0;  ///< sum of the squared gradient norms of the evaluated states
  std::uint64_t evaluations_ = 0;
};

/// Returns the rows of a test set of `total` records that belong to host `host` of `hosts`: blocks
/// of fixed size are dealt in turn. The blocks are the same for any number of hosts.
std::vector<std::uint32_t> test_rows(std::size_t total, std::size_t host, std::size_t hosts);

}  // namespace trilemma
