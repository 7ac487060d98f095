#pragma once

#include <cstddef>

namespace trilemma {

/// 1.5 * 2^52 units of 2^unit, at least -1074. (value + this) - this is the nearest multiple of the
/// unit for all values of up to 2^51 units, since the sum in brackets lies where doubles are one
/// unit apart.
double rounding_shift(int unit);

/// A value as multiples of two units and what they leave; the sum of all three is the value.
struct Split {
  double coarse, fine, left;
};

/// The units to which an ExactSum rounds the terms of its sums.
struct SumUnits {
  double shift = 0;       ///< the rounding_shift() of the first; 0 = values are summed as they come
  double fine_shift = 0;  ///< of the second; 0 = there is only one
  double limit = 0;       ///< all values are smaller
  int last = 0;           ///< the last of both is 2^this
  int digits = 0;         ///< every further unit is smaller by so many bits
  bool operator==(const SumUnits&) const = default;

  Split split(double value) const {
    const double coarse = (value + shift) - shift;
    const double rest = value - coarse;
    const double fine = fine_shift == 0 ? 0 : (rest + fine_shift) - fine_shift;
    return {coarse, fine, rest - fine};
  }
};

/// The units for so many terms, of which none is larger in size than `largest`
/// (numeric/exact_sum.hpp).
SumUnits sum_units(std::size_t terms, double largest, bool fine);

}  // namespace trilemma
