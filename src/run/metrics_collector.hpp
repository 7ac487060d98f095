#pragma once
// What all ranks have noted goes to rank 0 and into the run file, many rounds at a time.

#include "base/phase_timer.hpp"
#include "comm/ranks.hpp"
#include "record/run_file.hpp"
#include "run/observer.hpp"

namespace trilemma {

/// What rank 0 says to all at a delivery.
enum class Order { go_on, save, stop };

/// With the rows travel the phase times and requests to stop, and back rank 0's order and the
/// number of rounds to the next delivery.
class MetricsCollector {
 public:
  /// Rank 0 passes a run file, the others nullptr.
  MetricsCollector(MetricLog& metric_log, PhaseTimer& timer, Ranks& ranks,
                   const Placement& placement, RunFile* file, Progress& progress);

  /// From now on the time to the first delivery counts.
  void start() { delivered_ = now_seconds(); }
  /// Ends the row of a round and takes in its phase times.
  void end_row(std::int64_t round);
  bool is_due() const { return metric_log_.rows() >= rounds_to_next_; }
  /// Delivers. Rank 0 says whether to save now, where nothing asks to stop. Collective.
  Order run(bool save);

 private:
  void write(const std::vector<double>& all, std::size_t piece);
  Order agree(Order order, std::size_t rows);

  MetricLog& metric_log_;
  PhaseTimer& timer_;
  Ranks& ranks_;
  Placement place_;
  RunFile* file_;
  Progress& progress_;
  TickScale scale_;
  std::vector<double> sent_;        ///< phase times of the rows, then what is delivered with them
  double delivered_ = 0;            ///< time of the last delivery
  std::size_t rounds_to_next_ = 1;  ///< said by rank 0
};

}  // namespace trilemma
