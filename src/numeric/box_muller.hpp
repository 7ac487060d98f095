#pragma once
// Radius of a pair of normal numbers (Box and Muller 1958) from the 32 bits of its word.

#include "numeric/vmath.hpp"

namespace trilemma {

[[gnu::always_inline]] inline double radius_of(double uniform) {
  return std::sqrt(-2.0 * vmath::log(uniform));
}

[[gnu::always_inline]] inline double radius(std::uint64_t w) {
  return radius_of((vmath::from_integer(w) + 0.5) * 0x1p-32);
}

/// Words below this are too few to stand for a tail of the law: more bits follow them.
inline constexpr std::uint64_t tail_words = std::uint64_t{1} << 16U;

/// In the purpose of a key it takes these bits out of the way of all other numbers of the key.
inline constexpr std::uint32_t tail_flag = 0x80000000U;

}  // namespace trilemma
