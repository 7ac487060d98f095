#pragma once
// Reductions in a fixed number of lanes: as fast as vector code, and the same result for every
// vector width, alignment and position of the data.

#include "core/types.hpp"

namespace trilemma {

/// Squared Euclidean norm, accumulated in double in 16 fixed lanes.
template <class T>
double norm_squared(std::span<const T> a) {
  constexpr std::size_t lanes = 16;
  double lane[lanes] = {};
  const std::size_t body = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < body; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto value = static_cast<double>(a[i + l]);
      lane[l] += value * value;
    }
  }
  for (std::size_t i = body; i < a.size(); ++i) {
    const auto value = static_cast<double>(a[i]);
    lane[i - body] += value * value;
  }
  double sum = 0;
  for (double part : lane) sum += part;
  return sum;
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
