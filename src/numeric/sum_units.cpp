#include "numeric/sum_units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace trilemma {
namespace {

constexpr int bias = 1023;
constexpr unsigned fraction_bits = 52;
// Exponents are rounded up to a multiple of this, so that small changes of the largest value rarely
// change the unit.
constexpr int exponent_step = 4;

}  // namespace

double rounding_shift(int unit) {
  const auto exponent = static_cast<std::uint64_t>(bias + 52 + unit);
  return std::bit_cast<double>(exponent << fraction_bits | 1ULL << (fraction_bits - 1));
}

SumUnits sum_units(std::size_t terms, double largest, bool fine) {
  if (largest == 0 || !std::isfinite(largest)) return {};
  constexpr int least_exponent = -900;    // whose units are not too small to be distinguished
  constexpr int largest_exponent = 1000;  // of float64 alone: such sums may overflow anyway
  const auto pattern = std::bit_cast<std::uint64_t>(largest);
  const int above = static_cast<int>(pattern >> fraction_bits) - bias + 1;
  const int exponent = std::max(above + ((-above) & (exponent_step - 1)), least_exponent);
  const int bits = terms <= 1 ? 0 : std::bit_width(terms - 1);
  if (exponent + bits > largest_exponent) return {};
  const int digits = 52 - bits;
  const int unit = exponent + bits - 51;
  return {.shift = rounding_shift(unit),
          .fine_shift = fine ? rounding_shift(unit - digits) : 0,
          .limit = std::ldexp(1.0, exponent),
          .last = fine ? unit - digits : unit,
          .digits = digits};
}

}  // namespace trilemma
