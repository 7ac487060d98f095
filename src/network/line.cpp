#include "network/line.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma {

// Least squares of a / t + b * m / t = 1 over the sizes m with medians t.
Line fit_line(std::span<const Timing> timings) {
  double ones = 0, mixed = 0, squares = 0, right_one = 0, right_bytes = 0;
  for (const Timing& timing : timings) {
    const double weight = 1 / timing.typical().median;
    const double bytes = timing.bytes * weight;
    ones += weight * weight;
    mixed += weight * bytes;
    squares += bytes * bytes;
    right_one += weight;
    right_bytes += bytes;
  }
  const double determinant = ones * squares - mixed * mixed;
  const Line free{(right_one * squares - right_bytes * mixed) / determinant,
                  (ones * right_bytes - mixed * right_one) / determinant};
  if (!(free.latency >= 0)) return {0, right_bytes / squares};
  if (!(free.seconds_per_byte >= 0)) return {right_one / ones, 0};
  return free;
}

double median_error(const Line& line, std::span<const Timing> timings) {
  std::vector<double> errors;
  for (const Timing& timing : timings)
    errors.push_back(std::abs(line.seconds(timing.bytes) / timing.typical().median - 1));
  std::ranges::sort(errors);
  return median_interval(errors).median;
}

std::string fit_remark(const Line& line, double median_error) {
  constexpr double most = 0.2;
  if (line.seconds_per_byte <= 0)
    return ": NO BANDWIDTH CAN BE TOLD; take longer messages, where nothing else runs";
  return median_error > most
             ? ": NO LINE FITS; repeat where nothing else runs, or predict with as many ranks as here"
             : "";
}

}  // namespace trilemma
