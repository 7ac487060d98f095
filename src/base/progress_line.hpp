#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"

namespace trilemma {

/// Returns "59 s", "3 min 05 s" or "2 h 10 min".
std::string duration_in_words(double seconds);

/// Returns `state` and `left` in a line of at most `columns` characters, of `state` as much as
/// fits.
std::string cut_to_line(std::string state, const std::string& left, std::size_t columns);

/// Ends the line of progress that stands on a terminal, if there is one, so that a message begins
/// on a line of its own. May be called in a handler of signals.
void end_progress_line();

/// Prints the progress of a long activity and the remaining time to stderr: on a terminal a line
/// that is overwritten every two seconds, otherwise a new line every five seconds.
class ProgressLine {
 public:
  /// `total` is the number of steps of the activity; `quiet` prints nothing.
  ProgressLine(bool quiet, std::int64_t total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  std::int64_t total() const { return total_; }
  /// Sets the number of steps done before the start; the remaining time is estimated from the later
  /// ones.
  void start_at(std::int64_t done) { before_ = done; }
  /// Returns whether a line is due; at most one show() may follow.
  bool due();
  /// Prints `state`, and the time left after `done` steps; on a terminal, as much of `state` as a
  /// line holds.
  void show(std::int64_t done, const std::string& state);
  /// Removes the line from a terminal, so that later output starts on an empty line.
  void clear();

 private:
  bool quiet_, terminal_;
  std::int64_t total_;
  std::int64_t before_ = 0;
  std::int64_t ended_ = 0;  ///< number of steps done; the last one ended at ended_at_
  double ended_at_ = 0;
  double started_ = now_seconds();
  double last_ = now_seconds();
};

}  // namespace trilemma
