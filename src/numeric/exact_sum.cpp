#include "numeric/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

namespace trilemma {
namespace {

constexpr int bias = 1023;
constexpr unsigned fraction_bits = 52;
// A largest value that wanders a little seldom changes the unit.
constexpr int exponent_step = 4;

// 1.5 * 2^52 units. (value + this) - this is the nearest multiple of the unit for all values of up
// to 2^51 units, since the sum in brackets lies where doubles are one unit apart.
double rounding_shift(int unit) {
  const auto exponent = static_cast<std::uint64_t>(bias + 52 + unit);
  return std::bit_cast<double>(exponent << fraction_bits | 1ULL << (fraction_bits - 1));
}

// x rounded to a multiple of the unit of `shift`.
double rounded(double x, double shift) { return (x + shift) - shift; }

// As integers: the patterns of positive floating-point numbers are in the order of their values,
// then comes infinity, and then NaN.
using Pattern = std::conditional_t<sizeof(real) == 4, std::int32_t, std::int64_t>;
Pattern size_of(real value) { return std::bit_cast<Pattern>(std::abs(value)); }

}  // namespace

real largest_size(ConstView a) {
  Pattern largest = 0;
  for (const real value : a) largest = std::max(largest, size_of(value));
  return std::bit_cast<real>(largest);
}

void ExactSum::begin(std::size_t terms, double largest) {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(rest_.begin(), rest_.end(), 0.0);
  shift_ = shifts(terms, largest);
}

bool ExactSum::began_as(std::size_t terms, double largest) const {
  return shift_ == shifts(terms, largest);
}

ExactSum::Shifts ExactSum::shifts(std::size_t terms, double largest) {
  if (largest == 0 || !std::isfinite(largest)) return {};
  constexpr int least_exponent = -900;    // whose units are not too small to be told apart
  constexpr int largest_exponent = 1000;  // of float64 alone: such sums may overflow anyway
  const auto pattern = std::bit_cast<std::uint64_t>(largest);
  const int above = static_cast<int>(pattern >> fraction_bits) - bias + 1;
  const int exponent = std::max(above + ((-above) & (exponent_step - 1)), least_exponent);
  const int bits = terms <= 1 ? 0 : std::bit_width(terms - 1);
  if (exponent + bits > largest_exponent) return {};
  const int unit = exponent + bits - 51;
  return {rounding_shift(unit), rounding_shift(unit - 1 + bits - 51)};
}

real ExactSum::add(std::size_t first, Support at, ConstView values) {
  Pattern largest = 0;
  double* sum = sum_.data() + first;
  double* rest = rest_.data() + (rest_.empty() ? 0 : first);
  const Shifts shift = shift_;
  if (rest_.empty())
    at.each(values.size(), [&](std::size_t i, std::size_t j) {
      largest = std::max(largest, size_of(values[i]));
      sum[j] += rounded(static_cast<double>(values[i]), shift.value);
    });
  else
    at.each(values.size(), [&](std::size_t i, std::size_t j) {
      largest = std::max(largest, size_of(values[i]));
      const auto value = static_cast<double>(values[i]);
      const double coarse = rounded(value, shift.value);
      sum[j] += coarse;
      rest[j] += rounded(value - coarse, shift.rest);
    });
  return std::bit_cast<real>(largest);
}

std::span<double> ExactSum::finish(const std::function<void(std::span<double>)>& combine) {
  if (combine) combine(sum_);
  if (combine && !rest_.empty()) combine(rest_);
  for (std::size_t j = 0; j < rest_.size(); ++j) sum_[j] += rest_[j];
  return sum_;
}

}  // namespace trilemma
