#pragma once
// Reductions in double in 16 fixed lanes: as fast as vector code, and the same result for every
// vector width, alignment and position of the data.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/types.hpp"

namespace trilemma {

/// Squared Euclidean norm; T is float or double.
template <class T>
double norm_squared(std::span<const T> a);
template <>
double norm_squared(std::span<const float> a);
template <>
double norm_squared(std::span<const double> a);

/// out[r] = the squared norm of row r: `width` numbers from r * stride on.
void squares_of_rows(const real* first, std::size_t stride, std::size_t width,
                     std::span<double> out);

/// The sum of sizes |a_j|.
double sum_of_sizes(ConstView a);

/// Sizes as integers: the patterns of positive floating-point numbers are in the order of their
/// values, then comes infinity, and then NaN.
using SizePattern = std::conditional_t<sizeof(real) == 4, std::int32_t, std::int64_t>;
[[gnu::always_inline]] inline SizePattern size_pattern(real value) {
  return std::bit_cast<SizePattern>(std::abs(value));
}

/// The largest size |a_j|, or a NaN or an infinity where one is among them; 0 of none.
real largest_size(ConstView a);

/// Scalar product.
double dot(ConstView a, ConstView b);

/// Sums of squares below this may have lost digits.
inline constexpr double least_square = 0x1p-900;

/// Euclidean norm. Where the squares would overflow, or be too small to keep their digits, the
/// values are taken relative to the largest one, so finite vectors have a right norm whatever their
/// scale. NaN where a value is NaN; infinite where one is, or where the norm is above the largest
/// double.
template <class T>
double euclidean_norm(std::span<const T> a) {
  const double square = norm_squared(a);
  if (std::isnan(square)) return square;
  if (square >= least_square && square <= std::numeric_limits<double>::max())
    return std::sqrt(square);
  double largest = 0;
  for (const T value : a) largest = std::max(largest, std::abs(static_cast<double>(value)));
  if (largest == 0 || std::isinf(largest)) return largest;
  double sum = 0;
  for (const T value : a) {
    const double part = static_cast<double>(value) / largest;
    sum += part * part;
  }
  return largest * std::sqrt(sum);
}

}  // namespace trilemma
