#pragma once
// What rank 0 says while a run goes on.

#include <limits>

#include "core/progress_line.hpp"
#include "record/run_file.hpp"

namespace trilemma {

/// The progress line of a run: round, last metric, uploaded bits, time left.
class Progress {
 public:
  /// `total` is the number of rounds.
  Progress(bool quiet, std::int64_t total) : line_(quiet, total) {}
  /// So many rounds were done before.
  void start_at(std::int64_t done) { line_.start_at(done); }
  /// The state of a run.
  void update(const RunRow& row);
  /// Takes the line off a terminal, so that what is printed next stands alone.
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  double objective_ = std::numeric_limits<double>::quiet_NaN();  ///< at the last evaluation
  double accuracy_ = std::numeric_limits<double>::quiet_NaN();   ///< likewise
};

}  // namespace trilemma
