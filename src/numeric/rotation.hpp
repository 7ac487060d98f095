#pragma once
// Random rotation of R^d, which spreads the norm of a vector over all coordinates.

#include <vector>

#include "numeric/random.hpp"

namespace trilemma {

/// R = H_last S_2 H_first S_1: random signs S from the key, and Walsh-Hadamard transforms H of the
/// first and the last p coordinates, where p is the largest power of two up to d (Ailon and
/// Chazelle 2009 for one block; two overlapping blocks need no padding). Orthogonal, applied in O(d
/// log d), and the same for all holders of the seed. One rotation serves a whole run, so that
/// memories live in rotated coordinates.
class Rotation {
 public:
  Rotation(std::uint64_t seed, std::size_t dimension);

  /// Replaces v by R v.
  void apply(std::span<float> v) const;
  void apply(std::span<double> v) const;
  /// Replaces v by R^T v.
  void undo(std::span<double> v) const;

 private:
  template <class T>
  void turn_twice(std::span<T> v) const;

  std::size_t block_;
  std::vector<std::int8_t> sign_[2];
};

}  // namespace trilemma
