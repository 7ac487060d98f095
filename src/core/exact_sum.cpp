#include "core/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

namespace trilemma {
namespace {

// 1.5 * 2^52 units. (value + this) - this is the nearest multiple of the unit for all values of up
// to 2^51 units, since the sum in brackets lies where doubles are one unit apart.
double rounding_shift(int unit) { return std::ldexp(1.5, 52 + unit); }

// x rounded to a multiple of the unit of `shift`.
double rounded(double x, double shift) { return (x + shift) - shift; }

}  // namespace

// As integers: the patterns of positive floating-point numbers are in the order of their values,
// then comes infinity, and then NaN.
real largest_size(ConstView a) {
  using Pattern = std::conditional_t<sizeof(real) == 4, std::int32_t, std::int64_t>;
  Pattern largest = 0;
  for (const real value : a) largest = std::max(largest, std::bit_cast<Pattern>(std::abs(value)));
  return std::bit_cast<real>(largest);
}

void ExactSum::begin(std::size_t terms, double largest) {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(rest_.begin(), rest_.end(), 0.0);
  shift_ = rest_shift_ = 0;
  if (largest == 0 || !std::isfinite(largest)) return;
  constexpr int least_exponent = -900;    // whose units are not too small to be told apart
  constexpr int largest_exponent = 1000;  // of float64 alone: such sums may overflow anyway
  const int exponent = std::max(std::ilogb(largest) + 1, least_exponent);
  const int bits = terms <= 1 ? 0 : std::bit_width(terms - 1);
  if (exponent + bits > largest_exponent) return;
  const int unit = exponent + bits - 51;
  shift_ = rounding_shift(unit);
  rest_shift_ = rounding_shift(unit - 1 + bits - 51);
}

void ExactSum::add(std::size_t first, Support at, ConstView values) {
  double* sum = sum_.data() + first;
  if (rest_.empty()) {
    at.each(values.size(), [&, shift = shift_](std::size_t i, std::size_t j) {
      sum[j] += rounded(static_cast<double>(values[i]), shift);
    });
    return;
  }
  double* rest = rest_.data() + first;
  at.each(values.size(), [&](std::size_t i, std::size_t j) {
    const auto value = static_cast<double>(values[i]);
    const double coarse = rounded(value, shift_);
    sum[j] += coarse;
    rest[j] += rounded(value - coarse, rest_shift_);
  });
}

std::span<double> ExactSum::finish() {
  for (std::size_t j = 0; j < rest_.size(); ++j) sum_[j] += rest_[j];
  return sum_;
}

}  // namespace trilemma
