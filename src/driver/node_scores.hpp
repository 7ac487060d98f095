#pragma once
// Evaluation of single nodes: what the mean of their models hides.

#include "driver/driver.hpp"
#include "federation/node_side.hpp"

namespace trilemma {

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
  std::vector<std::uint32_t> chosen_;  ///< ascending
  Vector model_;                       ///< scratch memory
  MetricLog::Id objective_ = 0, worst_ = 0, accuracy_ = 0;
};

}  // namespace trilemma
