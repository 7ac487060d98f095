#include "compress/rounding.hpp"

#include <bit>
#include <cmath>

#include "compress/lanes.hpp"
#include "wire/half.hpp"

namespace trilemma {
namespace {

// binary16 numbers below 2^-14 are multiples of 2^-24.
void round_to_half(std::span<const std::uint32_t> words, View values) {
  const int exponent = wire::half_exponent(values);
  const double down = std::ldexp(1.0, -exponent);
  const double up = std::ldexp(1.0, exponent);
  constexpr std::uint32_t dropped = 0x1FFFU;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto scaled = static_cast<float>(static_cast<double>(values[i]) * down);
    const auto bits = std::bit_cast<std::uint32_t>(scaled);
    float rounded = std::bit_cast<float>((bits + (words[i] & dropped)) & ~dropped);
    if (std::abs(scaled) < 0x1p-14F)
      rounded = std::copysign(
          std::floor(std::abs(scaled) * 0x1p24F + unit_float(words[i])) * 0x1p-24F, scaled);
    if (std::isfinite(scaled)) values[i] = static_cast<real>(static_cast<double>(rounded) * up);
  }
}

}  // namespace

// A carry adds one unit u in the last bit that is kept, relative to the value, so the variance is
// at most u^2 / 4 of its square; for powers of two it is 1/8 of the square (Horvath et al. 2022,
// theorem 1). Below 2^-29 of the largest magnitude, binary16 numbers lie on a grid of 2^-39 of it.
RoundingTraits rounding_traits(ValueFormat format, std::size_t entries) {
  const auto count = static_cast<double>(entries);
  switch (format) {
    case ValueFormat::float32:
    case ValueFormat::float64:
      return {0, 1};
    case ValueFormat::bfloat16:
      return {0x1p-16, 1 + 0x1p-7};
    case ValueFormat::float16:
      return {0x1p-22 + count * 0x1p-78, 1 + 0x1p-10 + std::sqrt(count) * 0x1p-38};
    case ValueFormat::natural:
      return {0.125, 2};
  }
  return {0, 1};
}

void rounding_words(const Key& mask, std::size_t count, std::vector<std::uint32_t>& words) {
  words.resize((count + 3) / 4 * 4);
  random_words(rounding_key(mask), 0, words);
}

void Rounding::operator()(ValueFormat format, const Key& key, View values) {
  if (format == ValueFormat::float64) return;
  if constexpr (sizeof(real) > sizeof(float))
    for (auto& value : values) value = static_cast<real>(static_cast<float>(value));
  if (format == ValueFormat::float32) return;
  rounding_words(key, values.size(), words_);
  if (format == ValueFormat::bfloat16) round_fractions(0xFFFFU, words_, values);
  if (format == ValueFormat::natural) round_fractions(0x7FFFFFU, words_, values);
  if (format == ValueFormat::float16) round_to_half(words_, values);
}

}  // namespace trilemma
