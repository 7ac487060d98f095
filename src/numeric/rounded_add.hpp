#pragma once
// The inner loops of ExactSum.

#include <array>

#include "core/support.hpp"

namespace trilemma {

/// What add_rounded() has seen.
struct RoundedAdd {
  real largest;         ///< largest_size() of the values
  std::size_t inexact;  ///< number of blocks in which rounding has left something of a value
};

/// Values in a block; the last one may have fewer.
inline constexpr std::size_t rounding_block = 256;

/// sum[j] += values[i] rounded to a multiple of the unit of `shift`, 1.5 * 2^52 units, for
/// coordinate j, number i of `at`. Writes the numbers of the blocks that rounding has left
/// something of to `inexact`, which has room for those of all.
RoundedAdd add_rounded(double shift, ConstView values, Support at, double* sum,
                       std::uint32_t* inexact);

/// The same, and rest[j] += what rounding to the unit of shift[0] has left, rounded to that of
/// shift[1]; `inexact` gets the blocks of which both have left something.
RoundedAdd add_rounded(const std::array<double, 2>& shift, ConstView values, Support at,
                       double* sum, double* rest, std::uint32_t* inexact);

}  // namespace trilemma
