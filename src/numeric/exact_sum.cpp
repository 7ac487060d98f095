#include "numeric/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "numeric/rounded_add.hpp"

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

}  // namespace

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
  double* const sum = sum_.data() + first;
  if (!rest_.empty())
    return add_rounded({shift_.value, shift_.rest}, values, at, sum, rest_.data() + first);
  return add_rounded(shift_.value, values, at, sum);
}

std::span<double> ExactSum::finish(const std::function<void(std::span<double>)>& combine) {
  if (combine) combine(sum_);
  if (combine && !rest_.empty()) combine(rest_);
  for (std::size_t j = 0; j < rest_.size(); ++j) sum_[j] += rest_[j];
  return sum_;
}

}  // namespace trilemma
