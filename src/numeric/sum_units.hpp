#pragma once

#include <cstddef>

namespace trilemma {

/// Returns 1.5 * 2^52 units of 2^unit; `unit` is at least -1074. With this result as shift, (value
/// + shift) - shift is the multiple of the unit nearest to `value` if |value| <= 2^51 units, since
/// the sum in parentheses lies where doubles are one unit apart.
double rounding_shift(int unit);

/// A value as multiples of two units and a remainder; the sum of all three is the value.
struct Split {
  double coarse, fine, left;
};

/// The units to which an ExactSum rounds the terms of its sums.
struct SumUnits {
  double shift = 0;       ///< rounding_shift() of the first unit; 0 = values are not rounded
  double fine_shift = 0;  ///< rounding_shift() of the second unit; 0 = there is no second unit
  double limit = 0;       ///< all values are smaller in magnitude
  int last = 0;           ///< the last unit is 2^last
  int digits = 0;         ///< number of bits by which each further unit is smaller
  bool operator==(const SumUnits&) const = default;

  /// Splits `value` into multiples of the two units and a remainder.
  Split split(double value) const {
    const double coarse = (value + shift) - shift;
    const double rest = value - coarse;
    const double fine = fine_shift == 0 ? 0 : (rest + fine_shift) - fine_shift;
    return {coarse, fine, rest - fine};
  }
};

/// Returns the units for `terms` terms, none of them larger in magnitude than `largest`
/// (numeric/exact_sum.hpp).
SumUnits sum_units(std::size_t terms, double largest, bool fine);

}  // namespace trilemma
