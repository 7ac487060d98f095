#pragma once
// Observers on rank 0: the progress line of a run or an audit.

#include <limits>

#include "core/clock.hpp"
#include "record/run_file.hpp"

namespace trilemma {

/// Prints how far the run is: one line that renews itself on a terminal, else a log line; at most
/// one every two (terminal) or five seconds, on stderr.
class Progress {
 public:
  /// `total` is the number of steps (rounds of a run, runs of an audit) that make it complete.
  Progress(bool quiet, std::int64_t total);
  ~Progress();
  /// So many steps were done before: the time left follows from the others.
  void start_at(std::int64_t done) { before_ = done; }
  /// The state of a run.
  void update(const RunRow& row);
  /// Takes the line off a terminal, so that what is printed next stands alone.
  void clear();
  /// `done` steps of anything else, called `step`.
  void update(std::int64_t done, const char* step);

 private:
  bool due();
  void show(std::int64_t done, const std::string& state);

  bool quiet_, terminal_;
  bool shown_ = false;
  std::int64_t total_;
  std::int64_t before_ = 0;
  double objective_ = std::numeric_limits<double>::quiet_NaN();  ///< at the last evaluation
  double accuracy_ = std::numeric_limits<double>::quiet_NaN();   ///< likewise
  double started_ = now_seconds();
  double last_ = now_seconds();
};

}  // namespace trilemma
