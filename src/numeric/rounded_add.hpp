#pragma once
// The inner loops of ExactSum.

#include <array>

#include "core/support.hpp"

namespace trilemma {

/// sum[j] += values[i] rounded to a multiple of the unit of `shift`, 1.5 * 2^52 units, for
/// coordinate j, number i of `at`. Returns largest_size(values).
real add_rounded(double shift, ConstView values, Support at, double* sum);

/// The same, and rest[j] += what rounding to the unit of shift[0] has left, rounded to that of
/// shift[1].
real add_rounded(const std::array<double, 2>& shift, ConstView values, Support at, double* sum,
                 double* rest);

}  // namespace trilemma
