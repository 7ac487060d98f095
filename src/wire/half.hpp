#pragma once
// IEEE binary16 with an exponent common to all values of a message.

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/types.hpp"

namespace trilemma::wire {

/// Values multiplied by 2^-E, where E is an integer, have magnitudes of at most 2^15, well within
/// binary16.
inline constexpr int half_top = 15;
/// Smallest E: 2^E times the smallest positive binary16 number, 2^-24, is still a number of
/// float32.
inline constexpr int least_half_exponent = -126;

/// Returns the smallest E for `values`, which is also valid after they are rounded up. Values that
/// are not finite are ignored.
inline int half_exponent(ConstView values) {
  float most = 0;
  for (const real value : values) {
    const float size = std::abs(static_cast<float>(value));
    if (size > most && std::isfinite(size)) most = size;
  }
  if (most == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(most, &exponent);  // in [1/2, 1): a power of two is 1/2
  exponent -= half_top + (fraction == 0.5F ? 1 : 0);
  return exponent < least_half_exponent ? least_half_exponent : exponent;
}

/// Returns the binary16 bits of `value`, which must be a number of binary16, infinite or NaN.
inline std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
  const std::uint32_t size = bits & 0x7FFFFFFFU;
  if (size >= 0x7F800000U)
    return static_cast<std::uint16_t>(sign | 0x7C00U | (size > 0x7F800000U ? 0x200U : 0U));
  // Normal numbers have exponents of at least -14; below, the fraction counts multiples of 2^-24.
  if (size >= 0x38800000U) return static_cast<std::uint16_t>(sign | ((size - 0x38000000U) >> 13U));
  const auto fraction = static_cast<std::uint16_t>(std::abs(value) * 0x1p24F);
  return static_cast<std::uint16_t>(sign | fraction);
}

/// Returns the value of binary16 bits.
inline float from_half_bits(std::uint16_t bits) {
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  const std::uint32_t size = bits & 0x7FFFU;
  if (size >= 0x7C00U)
    return sign * std::bit_cast<float>(size > 0x7C00U ? 0x7FC00000U : 0x7F800000U);
  if (size >= 0x400U) return sign * std::bit_cast<float>((size << 13U) + 0x38000000U);
  return sign * static_cast<float>(size) * 0x1p-24F;
}

}  // namespace trilemma::wire
