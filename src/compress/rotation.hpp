#pragma once
// A random rotation of R^d, after which a vector's length is spread over all coordinates.

#include <vector>

#include "numeric/random.hpp"

namespace trilemma {

/// R = H_last S_2 H_first S_1: signs S from the key, and Walsh-Hadamard transforms H of the first
/// and the last p coordinates, p the largest power of two up to d (Ailon and Chazelle 2009 for one
/// block; two that overlap need no padding). Orthogonal, in O(d log d), the same for all who have
/// the seed. One rotation serves a whole run, so that memories live in rotated coordinates.
class Rotation {
 public:
  Rotation(std::uint64_t seed, std::size_t dimension);

  /// v becomes R v.
  void apply(View v) const;
  /// v becomes R^T v.
  void undo(std::span<double> v) const;

 private:
  std::size_t block_;
  std::vector<std::int8_t> sign_[2];
};

}  // namespace trilemma
