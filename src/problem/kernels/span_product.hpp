#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Numbers of records and of outputs that subtract_products processes at once; arrays are padded to
/// multiples of them, the products with zeros.
inline constexpr std::size_t span_lanes = 8;
inline constexpr std::size_t span_group = 5;

/// Returns `count` rounded up to a multiple of `multiple`.
inline std::size_t padded(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// Subtracts rate * sum * products from z, for `outputs` rows of z and sum (outputs x width) and
/// the symmetric products of m records (m x width).
void subtract_products(const real* products, std::size_t m, std::size_t width, const real* sum,
                       std::size_t outputs, real rate, real* z);

}  // namespace trilemma
