#pragma once
// Element-wise loops for training in low precision (low_precision.hpp).

#include <cstdint>

#include "base/types.hpp"

namespace trilemma {

/// Sets x = scale * (the integer nearest to x / scale, limited to [lowest, highest]).
void to_levels(View x, real scale, real lowest, real highest);

/// Rounds g to 0 and +-least 2^j at random without bias, with one coin per value. No magnitude may
/// exceed least 2^6.
void to_powers(View g, real least, const std::uint32_t* coins);

}  // namespace trilemma
