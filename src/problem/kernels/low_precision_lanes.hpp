#pragma once
// Loops over values side by side for training with few bits (low_precision.hpp).

#include <cstdint>

#include "base/types.hpp"

namespace trilemma {

/// x = scale * the whole number nearest to x / scale, not below `lowest` nor above `highest`.
void to_levels(View x, real scale, real lowest, real highest);

/// Rounds g to 0 and +-least 2^j, at random without bias, by one coin for each. No size may be
/// above least 2^6.
void to_powers(View g, real least, const std::uint32_t* coins);

}  // namespace trilemma
