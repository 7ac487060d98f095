#pragma once
// Observers of the round loop on rank 0: the run file and the progress line.

#include "core/clock.hpp"
#include "record/run_file.hpp"

namespace trilemma {

/// Prints how far the run is: one line that renews itself on a terminal, else a log line; at most
/// one every two (terminal) or five seconds, on stderr.
class Progress {
 public:
  Progress(bool quiet, std::int64_t rounds);
  ~Progress();
  void update(const RunRow& row);

 private:
  bool quiet_, terminal_;
  bool shown_ = false;
  std::int64_t rounds_;
  double started_ = now_seconds();
  double last_ = now_seconds();
};

}  // namespace trilemma
