#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Records and outputs that subtract_products takes side by side; arrays are padded to multiples of
/// them, the products with zeros.
inline constexpr std::size_t span_lanes = 8;
inline constexpr std::size_t span_group = 5;

inline std::size_t padded(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// z -= rate * sum * products, for `outputs` rows of z and sum (outputs x width) and the symmetric
/// products of m records (m x width).
void subtract_products(const real* products, std::size_t m, std::size_t width, const real* sum,
                       std::size_t outputs, real rate, real* z);

}  // namespace trilemma
