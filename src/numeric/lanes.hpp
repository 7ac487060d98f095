#pragma once
// Reductions in double with 16 fixed lanes: as fast as vector code, and with the same result for
// every vector width, alignment and position of the data.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/types.hpp"

namespace trilemma {

/// Returns the squared Euclidean norm of `a`; T is float or double.
template <class T>
double norm_squared(std::span<const T> a);
template <>
double norm_squared(std::span<const float> a);
template <>
double norm_squared(std::span<const double> a);

/// Sets out[r] to the squared norm of row r, the `width` numbers from first[r * stride] on.
void squares_of_rows(const real* first, std::size_t stride, std::size_t width,
                     std::span<double> out);

/// Returns the sum of the magnitudes |a_j|.
double sum_of_sizes(ConstView a);

/// Magnitudes as integers: the bit patterns of positive floating-point numbers are ordered like
/// their values, followed by infinity and then NaN.
using SizePattern = std::conditional_t<sizeof(real) == 4, std::int32_t, std::int64_t>;
[[gnu::always_inline]] inline SizePattern size_pattern(real value) {
  return std::bit_cast<SizePattern>(std::abs(value));
}

/// Returns the largest magnitude |a_j|; NaN or infinity if one occurs; 0 for an empty vector.
real largest_size(ConstView a);

/// Returns the scalar product of a and b.
double dot(ConstView a, ConstView b);

/// Sums of squares below this value may have lost digits.
inline constexpr double least_square = 0x1p-900;

/// Returns the Euclidean norm of `a`. If the squares would overflow or lose digits, the values are
/// scaled by the largest one first, so the norm of a finite vector is accurate whatever its scale.
/// NaN if a value is NaN; infinite if a value is, or if the norm exceeds the largest double.
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
