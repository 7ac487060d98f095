#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace trilemma {

/// Returns the quantile of ascending values by the nearest-rank method: the smallest value such
/// that at least the given share of the values does not exceed it.
inline double quantile(std::span<const double> ascending, double share) {
  const double rank = std::ceil(share * static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

/// A median with a 95 % confidence interval whose ends are two of the values, valid for any
/// distribution (Le Boudec, "Performance Evaluation of Computer and Communication Systems", 2010,
/// section 2.2). Fewer than 6 values have no such interval: low and high are then the smallest and
/// the largest value.
struct MedianInterval {
  double median, low, high;
};
inline MedianInterval median_interval(std::span<const double> ascending) {
  constexpr std::size_t fewest = 6;
  const std::size_t count = ascending.size();
  const double middle = 0.5 * (ascending[(count - 1) / 2] + ascending[count / 2]);
  if (count < fewest) return {middle, ascending.front(), ascending.back()};
  const double n = static_cast<double>(count);
  const double half_width = 1.96 * std::sqrt(n);
  const auto below = static_cast<std::size_t>(std::max(1.0, std::floor((n - half_width) / 2)));
  return {middle, ascending[below - 1], ascending[count - below]};
}

}  // namespace trilemma
