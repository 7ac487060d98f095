#pragma once
// Timing of the communication calls of a round.

#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "numeric/quantile.hpp"

namespace trilemma {

/// The timed operations, in the order of `operation_names`. `bytes` is the amount that a rank sends
/// or receives: point_to_point one way between the first and the last rank; broadcast the whole
/// message; gather the contribution of each rank except the first; reduce the whole sum.
enum class Operation : std::size_t { point_to_point, broadcast, gather, reduce };
inline constexpr const char* operation_names[] = {"point_to_point", "broadcast", "gather",
                                                  "reduce"};
inline constexpr std::size_t operation_count = std::size(operation_names);

/// Repetitions of one call with messages of one size.
struct Timing {
  double bytes = 0;
  std::vector<double> seconds;  ///< ascending; each that of the slowest rank
  MedianInterval typical() const { return median_interval(seconds); }
};

/// Limits on the repetitions of a timing.
struct TimingLimits {
  /// Time limit for one size of one operation, including the time that a repetition takes in
  /// addition to the call; applies once `fewest` repetitions have been made.
  double seconds = 1;
  std::size_t fewest = 6;   ///< fewest repetitions, as required for an interval
  std::size_t most = 1000;  ///< most repetitions
  double precision = 0.02;  ///< relative width of the interval around the median that is sufficient
};

class CommonClock;

/// Times one operation on all ranks, which start at the same moment, after two calls that are not
/// counted. Collective over at least two ranks; the times are the same on all of them.
Timing time_operation(const Communicator& ranks, CommonClock& clock, Operation operation,
                      std::size_t bytes, const TimingLimits& limits);

/// Returns 8, 32, 128, ... bytes up to `most`, `most` itself, and `more`; ascending, without
/// duplicates.
std::vector<std::size_t> message_sizes(std::size_t most, const std::vector<std::size_t>& more = {});

}  // namespace trilemma
