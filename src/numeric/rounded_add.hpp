#pragma once
// The inner loops of ExactSum.

#include <array>

#include "base/support.hpp"

namespace trilemma {

/// Observations of add_rounded().
struct RoundedAdd {
  real largest;         ///< largest_size() of the values
  std::size_t inexact;  ///< number of blocks with a value changed by rounding
};

/// Number of values in a block; the last block may have fewer.
inline constexpr std::size_t rounding_block = 256;

/// Adds values[i], rounded to a multiple of the unit of `shift` (shift = 1.5 * 2^52 units), to
/// sum[j], where j is coordinate i of `at`. Writes the numbers of the blocks with a nonzero
/// remainder to `inexact`, which must have room for all blocks.
RoundedAdd add_rounded(double shift, ConstView values, Support at, double* sum,
                       std::uint32_t* inexact);

/// Also adds the remainder after rounding to the unit of shift[0], itself rounded to the unit of
/// shift[1], to rest[j]. `inexact` gets the blocks with a nonzero remainder after both roundings.
RoundedAdd add_rounded(const std::array<double, 2>& shift, ConstView values, Support at,
                       double* sum, double* rest, std::uint32_t* inexact);

}  // namespace trilemma
