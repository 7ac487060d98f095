#pragma once

#include <limits>

#include "base/types.hpp"

namespace trilemma::testing {

/// True in the build with double models and messages.
inline constexpr bool wide = sizeof(real) == 8;
/// Rounding of one operation on `real`.
inline constexpr double rounding = std::numeric_limits<real>::epsilon();

}  // namespace trilemma::testing
