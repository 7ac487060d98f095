#pragma once

#include <span>
#include <string>
#include <vector>

#include "network/timing.hpp"

namespace trilemma {

inline constexpr double bits_per_byte = 8;

/// Largest acceptable relative error of a fit, for the fit of a calibration and for times on which
/// a ranking is based.
inline constexpr double most_fit_error = 0.2;

/// Time of a message as latency + bytes * seconds_per_byte: the alpha-beta model (Hockney, "The
/// communication challenge for MPP", Parallel Computing 20, 1994).
struct Line {
  double latency = 0;           ///< s
  double seconds_per_byte = 0;  ///< 1 / bandwidth
  /// Returns the time of a message of `bytes`.
  double seconds(double bytes) const { return latency + bytes * seconds_per_byte; }
};

/// Returns the line with the smallest sum of squared relative errors at the medians, with both
/// parameters nonnegative. Requires two sizes.
Line fit_line(std::span<const Timing> timings);

/// A line that is valid for a range of sizes.
struct LineSegment {
  double from = 0, to = 0;  ///< bytes: smallest and largest fitted size
  Line line;
  double error = 0;  ///< largest |line / median time - 1| over these sizes
};

/// Lines for ascending ranges of sizes. One line rarely describes a network: the protocol of the
/// MPI library, the algorithm of a collective call and the shaping of a link change with the size.
struct PiecewiseFit {
  std::vector<LineSegment> segments;  ///< at least one
  std::vector<double> errors;         ///< |fit / median time - 1| of each size, in order

  /// Returns the seconds of the smallest messages.
  double latency() const { return segments.front().line.latency; }
  /// Returns the asymptotic bandwidth (Hockney's r_infinity), in byte/s, from the largest sizes;
  /// infinite if the time does not grow with them.
  double bandwidth() const { return 1 / segments.back().line.seconds_per_byte; }
  /// Returns the size at which half of that bandwidth is reached (Hockney's n_1/2), in bytes;
  /// infinite if the bandwidth is.
  double half_size() const;
  /// Returns the largest error.
  double error() const;
};

/// Returns a fit of one to three lines, each to at least three sizes: for each number of lines
/// those with the smallest sum of squared relative errors at the medians. The number of lines
/// minimises Schwarz's criterion ("Estimating the dimension of a model", Annals of Statistics 6,
/// 1978), where errors below 1 % count as 1 %. Requires at least two `timings`, in ascending order
/// of size.
PiecewiseFit fit_pieces(std::span<const Timing> timings);

/// Returns a remark for the end of a sentence if the error of `segment` exceeds `most_fit_error`;
/// otherwise an empty text.
std::string fit_remark(const LineSegment& segment);

}  // namespace trilemma
