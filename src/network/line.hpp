#pragma once

#include <span>
#include <string>

#include "network/timing.hpp"

namespace trilemma {

inline constexpr double bits_per_byte = 8;

/// Time of a message as latency + bytes * seconds_per_byte: the alpha-beta model (Hockney, "The
/// communication challenge for MPP", Parallel Computing 20, 1994).
struct Line {
  double latency = 0;           ///< s
  double seconds_per_byte = 0;  ///< 1 / bandwidth
  double seconds(double bytes) const { return latency + bytes * seconds_per_byte; }
};

/// The line whose relative errors at the medians have the smallest sum of squares, with neither
/// number negative. Needs two sizes.
Line fit_line(std::span<const Timing> timings);
/// Median of |line / median time - 1| over the sizes.
double median_error(const Line& line, std::span<const Timing> timings);
/// What keeps the line from telling how long messages take, for the end of a sentence: it is off by
/// more than 20 % in the median, or has no bandwidth. Else empty.
std::string fit_remark(const Line& line, double median_error);

}  // namespace trilemma
