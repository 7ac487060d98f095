#pragma once
// Reductions in a fixed number of lanes: as fast as vector code, and the same result for every
// vector width, alignment and position of the data.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/types.hpp"

namespace trilemma {

/// The sum of term(value) over all values, in double in 16 fixed lanes.
template <class T, class Term>
double sum_in_lanes(std::span<const T> a, Term&& term) {
  constexpr std::size_t lanes = 16;
  double lane[lanes] = {};
  const std::size_t body = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < body; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) lane[l] += term(static_cast<double>(a[i + l]));
  for (std::size_t i = body; i < a.size(); ++i) lane[i - body] += term(static_cast<double>(a[i]));
  double sum = 0;
  for (double part : lane) sum += part;
  return sum;
}

/// Squared Euclidean norm.
template <class T>
double norm_squared(std::span<const T> a) {
  return sum_in_lanes(a, [](double value) { return value * value; });
}

/// Euclidean norm. Where the squares would overflow, or be too small to keep their digits, the
/// values are taken relative to the largest one, so finite vectors have a right norm whatever their
/// scale. NaN where a value is NaN; infinite where one is, or where the norm is above the largest
/// double.
template <class T>
double euclidean_norm(std::span<const T> a) {
  constexpr double smallest_square = 0x1p-900;
  const double square = norm_squared(a);
  if (std::isnan(square)) return square;
  if (square >= smallest_square && square <= std::numeric_limits<double>::max())
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

/// Scalar product, accumulated in double in 16 fixed lanes.
inline double dot(ConstView a, ConstView b) {
  constexpr std::size_t lanes = 16;
  double lane[lanes] = {};
  const std::size_t body = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < body; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l)
      lane[l] += static_cast<double>(a[i + l]) * static_cast<double>(b[i + l]);
  for (std::size_t i = body; i < a.size(); ++i)
    lane[i - body] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  double sum = 0;
  for (double part : lane) sum += part;
  return sum;
}

}  // namespace trilemma
