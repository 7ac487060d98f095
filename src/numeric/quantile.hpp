#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace trilemma {

/// The quantile of ascending values by the nearest rank: the smallest one that at least a share of
/// them does not exceed.
inline double quantile(std::span<const double> ascending, double share) {
  const double rank = std::ceil(share * static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

}  // namespace trilemma
