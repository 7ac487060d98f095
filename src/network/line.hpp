#pragma once

#include <span>
#include <string>
#include <vector>

#include "network/timing.hpp"

namespace trilemma {

inline constexpr double bits_per_byte = 8;

/// Largest relative error at which a fit counts as one: of a calibration, and of the times that a
/// ranking rests on.
inline constexpr double most_fit_error = 0.2;

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

/// A line that holds for a range of sizes.
struct LineSegment {
  double from = 0, to = 0;  ///< bytes: the smallest and the largest size that it was fitted to
  Line line;
  double error = 0;  ///< the largest |line / median time - 1| over these sizes
};

/// Lines for ascending ranges of sizes. A network is rarely one line: the protocol of the MPI
/// library, the algorithm of a collective call and a shaped link change with the size.
struct PiecewiseFit {
  std::vector<LineSegment> segments;  ///< at least one
  std::vector<double> errors;         ///< |fit / median time - 1| of each size, in their order

  /// Seconds of the smallest messages.
  double latency() const { return segments.front().line.latency; }
  /// Asymptotic bandwidth (Hockney's r_infinity), in byte/s, from the largest sizes; infinite where
  /// time does not grow with them.
  double bandwidth() const { return 1 / segments.back().line.seconds_per_byte; }
  /// Size at which half of that bandwidth is reached (Hockney's n_1/2), in bytes; infinite where
  /// there is no bandwidth.
  double half_size() const;
  /// The largest of the errors.
  double error() const;
};

/// One to three lines with the smallest sum of squared relative errors at the medians for their
/// number, each fitted to three sizes or more. The number of lines minimizes Schwarz's criterion
/// ("Estimating the dimension of a model", Annals of Statistics 6, 1978), with errors below 1 %
/// counted as 1 %. Needs two sizes, ascending.
PiecewiseFit fit_pieces(std::span<const Timing> timings);

/// What is wrong with a segment, for the end of a sentence: its error is above `most_fit_error`.
/// Else empty.
std::string fit_remark(const LineSegment& segment);

}  // namespace trilemma
