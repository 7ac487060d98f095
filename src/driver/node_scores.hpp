#pragma once
// Evaluation of single nodes: what the mean of their models hides.

#include <limits>
#include <optional>

#include "driver/driver.hpp"
#include "federation/node_side.hpp"

namespace trilemma {

/// The metrics of the distances between the nodes' models.
struct ConsensusMetrics {
  MetricLog& metric_log;
  MetricLog::Id error =
      declare("consensus_error",
              "squared distance of a node's model from the mean of all models, mean over the nodes",
              "consensus_most");
  MetricLog::Id most =
      declare("consensus_most",
              "largest squared distance of a node's model from the mean of all models", "");

 private:
  MetricLog::Id declare(const char* name, const char* description, const char* never_above) {
    return metric_log.declare({.name = name,
                               .units = "1",
                               .description = description,
                               .provenance = Provenance::released,
                               .better = Metric::Better::lower,
                               .is_evaluated = true,
                               .never_above = never_above,
                               .runs = Metric::Runs::decentralised});
  }
};

/// The metrics of the evaluated nodes.
struct NodeMetrics {
  explicit NodeMetrics(MetricLog& log) : metric_log(log) {}
  MetricLog& metric_log;
  MetricLog::Id objective = metric_log.declare(
      {.name = "objective_node_most",
       .units = "1",
       .description = "largest objective f(x_i) of the evaluated nodes' own models; NaN if one is "
                      "not finite",
       .provenance = Provenance::objective,
       .better = Metric::Better::lower,
       .least = -std::numeric_limits<double>::infinity(),
       .is_evaluated = true,
       .runs = Metric::Runs::evaluates_nodes});
  MetricLog::Id node = metric_log.declare({.name = "objective_node",
                                           .units = "1",
                                           .description = "the node of objective_node_most",
                                           .provenance = Provenance::objective,
                                           .is_evaluated = true,
                                           .runs = Metric::Runs::evaluates_nodes});
  MetricLog::Id accuracy = metric_log.declare(
      {.name = "accuracy_node_least",
       .units = "1",
       .description = "smallest accuracy of the evaluated nodes' own models on the test records",
       .provenance = Provenance::test_scores,
       .better = Metric::Better::higher,
       .most = 1,
       .is_evaluated = true,
       .runs = Metric::Runs::evaluates_nodes});
};

/// Evaluates the models of the nodes that evaluate.nodes asks for, drawn once from the seed.
class NodeScores {
 public:
  /// Declares the columns if any node is evaluated.
  explicit NodeScores(const DriverSetup& setup);
  /// Records the largest objective and the smallest accuracy of these nodes. Collective.
  void observe(const NodeSide& nodes);

 private:
  int host_of(std::uint32_t node) const;

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  std::vector<std::uint32_t> chosen_;   ///< ascending
  Vector model_;                        ///< scratch memory
  std::optional<NodeMetrics> metrics_;  ///< if any node is evaluated
};

}  // namespace trilemma
