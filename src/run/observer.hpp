#pragma once
// What rank 0 says while a run goes on.

#include <limits>

#include "base/metric_log.hpp"
#include "base/progress_line.hpp"

namespace trilemma {

/// The progress line of a run: round, last metric, uploaded bits, time left.
class Progress {
 public:
  /// `total` is the number of rounds; `metric log` has the metrics that are shown.
  Progress(bool quiet, std::int64_t total, const MetricLog& metric_log);
  /// So many rounds were done before.
  void start_at(std::int64_t done) { line_.start_at(done); }
  /// The state of a run.
  void update(const MetricRow& row);
  /// Takes the line off a terminal, so that what is printed next stands alone.
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  MetricLog::Id objective_, accuracy_, bits_;
  double last_objective_ = std::numeric_limits<double>::quiet_NaN();
  double last_accuracy_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace trilemma
