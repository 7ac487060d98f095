#pragma once
// Progress output of rank 0 during a run.

#include <functional>
#include <limits>

#include "base/metric_log.hpp"
#include "base/progress_line.hpp"

namespace trilemma {

/// The progress line of a run: round, last metrics, uploaded bits, remaining time.
class Progress {
 public:
  /// `total` is the number of rounds; `metric log` has the metrics that are shown.
  /// `tell` receives the rounds done and `total`, whether a line is printed or not.
  Progress(bool quiet, std::int64_t total, const MetricLog& metric_log,
           std::function<void(std::int64_t, std::int64_t)> tell = {});
  /// Sets the number of rounds done before the start.
  void start_at(std::int64_t done) {
    line_.start_at(done);
    if (tell_) tell_(done, line_.total());
  }
  /// Updates the line, if one is due, with the values of a row.
  void update(const MetricRow& row);
  /// Removes the line from a terminal, so that later output starts on an empty line.
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::function<void(std::int64_t, std::int64_t)> tell_;
  MetricLog::Id objective_, accuracy_, bits_;
  double last_objective_ = std::numeric_limits<double>::quiet_NaN();
  double last_accuracy_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace trilemma
