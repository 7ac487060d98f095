#pragma once
// Delivers the rows of the metric log to rank 0 and to the run file, many rounds at a time.

#include "base/phase_timer.hpp"
#include "comm/ranks.hpp"
#include "machine/energy.hpp"
#include "record/run_file.hpp"
#include "run/observer.hpp"

namespace trilemma {

/// Instruction of rank 0 to all ranks at a delivery.
enum class Order { go_on, save, stop };

/// Moves rows, phase times and requests to stop to rank 0; rank 0's order and the number of rounds
/// until the next delivery come back.
class MetricsCollector {
 public:
  /// Rank 0 passes a run file, the others nullptr. `node` is the node of each rank on rank 0;
  /// `energy` counts this rank's node.
  MetricsCollector(MetricLog& metric_log, PhaseTimer& timer, Ranks& ranks,
                   const Placement& placement, RunFile* file, Progress& progress,
                   std::vector<std::int64_t> node, EnergyCounters energy);

  /// Starts measuring the time until the first delivery.
  void start() { delivered_ = now_seconds(); }
  /// Ends the row of a round and adds its phase times.
  void end_row(std::int64_t round);
  /// Drops the rows of more than `round` rounds that have not been delivered.
  void keep_until(std::int64_t round);
  bool is_due() const { return metric_log_.rows() >= rounds_to_next_; }
  /// Delivers all rows and returns the common order. Rank 0 decides with `save` whether to save
  /// now, unless a stop is requested. Collective.
  Order run(bool save);

 private:
  void write(const std::vector<double>& all, std::size_t piece);
  std::vector<double> joules_of_nodes(const std::vector<double>& all, std::size_t piece) const;
  Order agree(Order order, std::size_t rows);

  MetricLog& metric_log_;
  PhaseTimer& timer_;
  Ranks& ranks_;
  Placement place_;
  RunFile* file_;
  Progress& progress_;
  std::vector<std::int64_t> node_;  ///< rank 0: node of each rank
  EnergyCounters energy_;
  TickScale scale_;
  std::vector<double>
      sent_;              ///< phase times of the rows, followed by the values delivered with them
  double delivered_ = 0;  ///< time of the last delivery
  std::size_t rounds_to_next_ = 1;  ///< set by rank 0
};

}  // namespace trilemma
