#pragma once
// Weights on factors that keep bounds: a rounding to `real` may err by half of a number below the
// normal ones, and a record of huge features makes that visible.

#include <cmath>
#include <limits>

#include "base/types.hpp"

namespace trilemma {

/// Factors below this count as 0: what is left stays a normal number under weights down to 2^-26,
/// so that products with it err by an ulp and not by half of themselves.
inline constexpr real smallest_factor = std::numeric_limits<real>::min() * real{0x1p26};

/// values *= weight, for a weight of any size: as `real` a very small one has lost digits.
inline void multiply(View values, double weight) {
  if (weight >= static_cast<double>(std::numeric_limits<real>::min())) {
    const real w = static_cast<real>(weight);
    for (auto& value : values) value *= w;
  } else {
    for (auto& value : values) value = static_cast<real>(static_cast<double>(value) * weight);
  }
}

/// Sets factors to 0 that are not 0 but below smallest_factor.
inline void drop_small(View factors) {
  for (auto& factor : factors) factor = std::abs(factor) < smallest_factor ? real{0} : factor;
}

}  // namespace trilemma
