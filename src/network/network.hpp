#pragma once

#include <array>
#include <string>

#include "network/line.hpp"
#include "record/report_file.hpp"

namespace trilemma {

/// Ranks, and how long their calls take: as measured, or as a latency and a bandwidth make them.
class Network {
 public:
  /// A star: each rank has a link of its own, with `line` in each direction, to a switch that slows
  /// nothing. All messages to and from rank 0 share its link; a broadcast and a reduction take
  /// ceil(log2 ranks) latencies, and a reduction as many messages.
  Network(int ranks, Line line) : ranks_(ranks), line_(line) {}
  /// A network as `trilemma calibrate` has measured it, for another number of ranks a star with the
  /// line that fits its messages between two ranks; 0: as many as were measured.
  static Network from_file(const std::string& path, int ranks);

  int ranks() const { return ranks_; }
  const Line& line() const { return line_; }
  /// How far that line is from the times measured, as a share in the median; 0 if none were.
  double line_error() const { return line_error_; }
  /// What was wrong when it was measured, in words; may be empty.
  const std::string& warning() const { return warning_; }
  /// Half of the 95 % interval of a time over the time, in the median of all sizes; 0 if none were
  /// measured.
  double spread() const { return spread_; }
  bool is_measured() const { return !measured_[0].empty(); }
  /// Seconds of an operation; between two sizes that were measured interpolated in the logarithms
  /// of both, above the largest on with the slope of the last two.
  double seconds(Operation operation, double bytes) const;

 private:
  struct Point {
    double bytes, seconds;
  };
  double on_a_star(Operation operation, double bytes) const;

  int ranks_;
  Line line_;
  double line_error_ = 0;
  std::string warning_;
  double spread_ = 0;
  std::array<std::vector<Point>, operation_count> measured_;
};

/// Measures all operations with messages of 8 bytes to `largest`; `tell` hears how much of the work
/// is done, from 0 to 1, and what comes next. Collective over two ranks or more; the report is that
/// of rank 0.
Report measure_network(const Communicator& ranks, std::size_t largest, const TimingLimits& limits,
                       const std::function<void(double, const std::string&)>& tell);

}  // namespace trilemma
