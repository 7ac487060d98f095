#pragma once
// Weighting of factors without exceeding bounds: rounding to a subnormal `real` can change a value
// by half of itself, which records with huge features amplify.

#include <cmath>
#include <limits>

#include "base/types.hpp"
#include "problem/kernels/record_factors.hpp"

namespace trilemma {

/// Multiplies `values` by `weight`, however small: as `real`, a very small weight would have lost
/// digits.
inline void multiply(View values, double weight) {
  if (weight >= static_cast<double>(std::numeric_limits<real>::min())) {
    const real w = static_cast<real>(weight);
    for (auto& value : values) value *= w;
  } else {
    for (auto& value : values) value = static_cast<real>(static_cast<double>(value) * weight);
  }
}

/// Sets factors below smallest_factor in magnitude to 0.
inline void drop_small(View factors) {
  for (auto& factor : factors) factor = std::abs(factor) < smallest_factor ? real{0} : factor;
}

}  // namespace trilemma
