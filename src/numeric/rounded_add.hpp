#pragma once
// The inner loops of ExactSum.

#include <array>

#include "base/support.hpp"

namespace trilemma {

/// What add_rounded() has observed.
struct RoundedAdd {
  real largest;         ///< largest_size() of the values
  std::size_t inexact;  ///< number of blocks with a value that rounding has changed
};

/// Number of values in a block; the last block may have fewer.
inline constexpr std::size_t rounding_block = 256;

/// sum[j] += values[i] rounded to a multiple of the unit of `shift`, 1.5 * 2^52 units, for
/// coordinate j, number i of `at`. Writes the numbers of the blocks with a nonzero remainder to
/// `inexact`, which has room for all blocks.
RoundedAdd add_rounded(double shift, ConstView values, Support at, double* sum,
                       std::uint32_t* inexact);

/// The same, and rest[j] += what rounding to the unit of shift[0] has left, rounded to that of
/// shift[1]; `inexact` gets the blocks with a remainder after both.
RoundedAdd add_rounded(const std::array<double, 2>& shift, ConstView values, Support at,
                       double* sum, double* rest, std::uint32_t* inexact);

}  // namespace trilemma
