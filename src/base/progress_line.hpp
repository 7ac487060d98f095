#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"

namespace trilemma {

/// Says on stderr how far a long piece of work is, and the time left: a line that is overwritten
/// every two seconds on a terminal, else a line every five.
class ProgressLine {
 public:
  /// `total` is the number of steps that make it complete; quiet: says nothing.
  ProgressLine(bool quiet, std::int64_t total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  std::int64_t total() const { return total_; }
  /// So many steps were done before: the time left follows from the others.
  void start_at(std::int64_t done) { before_ = done; }
  /// Whether it is time for a line; at most one show() follows.
  bool due();
  /// Prints `state`, and the time left after `done` steps.
  void show(std::int64_t done, const std::string& state);
  /// Takes the line off a terminal, so that what is printed next stands alone.
  void clear();

 private:
  bool quiet_, terminal_;
  bool shown_ = false;
  std::int64_t total_;
  std::int64_t before_ = 0;
  std::int64_t ended_ = 0;  ///< steps, the last of them at ended_at_
  double ended_at_ = 0;
  double started_ = now_seconds();
  double last_ = now_seconds();
};

}  // namespace trilemma
