#pragma once
// Passes over the factors of records whose gradient is a factor times the features of the record.

#include <cmath>
#include <limits>

#include "base/types.hpp"

namespace trilemma {

/// Factors below this value count as 0: the remaining ones stay normal numbers under weights down
/// to 2^-26, so that products with them err by an ulp and not by half of themselves.
inline constexpr real smallest_factor = std::numeric_limits<real>::min() * real{0x1p26};

/// Multiplies margin[i] by the label b_i = scale * label[i] + shift, -1 or +1, and sets factor[i] =
/// -b_i / (1 + exp(b_i margin_i)), the derivative of the logistic loss.
void logistic_factors(std::span<const std::int32_t> label, std::int32_t scale, std::int32_t shift,
                      std::span<double> margin, View factor);

/// Norms of the gradients that clip_factors() has seen.
struct NormsOfFactors {
  double largest = 0;          ///< after clipping, without NaN; -infinity if none is left
  std::size_t not_finite = 0;  ///< number of norms before clipping that are not finite
  std::size_t clipped = 0;     ///< number of finite ones that exceed the threshold
};

/// Multiplies each factor, whose gradient has the norm n = |factor[i]| length[i], by min(1,
/// `threshold` / n), or by `threshold` / (`threshold` + n) if `is_smooth`; a factor becomes 0 if
/// the multiplier is not a normal number, or the product is below smallest_factor.
NormsOfFactors clip_factors(std::span<const double> length, double threshold, bool is_smooth,
                            View factor);

/// Sets out[i] = (factor[i] * weight, rounded) * value; where the first product is 0, also if the
/// value is not finite.
void weigh_factors(ConstView factor, double weight, real value, View out);

// Weights must not make factors exceed bounds: rounding to a subnormal `real` can change a value by
// half of itself, which records with huge features amplify.

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
