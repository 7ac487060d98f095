#pragma once
// Selection of the coordinates with the largest magnitudes.

#include <vector>

#include "base/types.hpp"

namespace trilemma {

/// Returns the magnitude of `value` as an integer in the same order; NaN ranks highest.
std::uint64_t size_rank(real value);

/// Writes the coordinates with a size_rank of at least `least`, ascending.
void coordinates_from(ConstView z, std::uint64_t least, std::vector<std::uint32_t>& out);

/// Writes the k coordinates with the largest magnitudes, ascending; ties go to the lower
/// coordinate.
class TopK {
 public:
  void operator()(ConstView z, std::size_t k, std::vector<std::uint32_t>& out);

 private:
  std::vector<std::uint64_t> sample_;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint64_t> ranks_;
};

/// Returns a size_rank that about k coordinates of z reach, estimated from every `stride`-th
/// coordinate. `room` is scratch space.
std::uint64_t sampled_rank(ConstView z, std::size_t k, std::size_t stride,
                           std::vector<std::uint64_t>& room);

}  // namespace trilemma
