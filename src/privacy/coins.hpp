#pragma once
// Coins with 64 random bits, on which pure privacy rests: 32 bits would change the ratio of rare
// probabilities noticeably.

#include <cmath>

#include "numeric/random.hpp"

namespace trilemma {

/// Returns the next 64 random bits of a stream.
inline std::uint64_t two_words(Stream& stream) {
  const std::uint64_t upper = stream.word();
  return upper << 32U | stream.word();
}

/// Returns a number uniform on (0, 1) with 53 random bits.
inline double unit_double(Stream& stream) {
  return (static_cast<double>(two_words(stream) >> 11U) + 0.5) * 0x1p-53;
}

/// Returns true with probability p, 0 <= p <= 1, rounded down to a multiple of 2^-64.
inline bool coin(Stream& stream, double p) {
  return p >= 1 || two_words(stream) < static_cast<std::uint64_t>(std::ldexp(p, 64));
}

}  // namespace trilemma
