#pragma once
// Which coordinates of a vector are the largest.

#include <vector>

#include "base/types.hpp"

namespace trilemma {

/// The size of a value as an integer in the same order; NaN comes last.
std::uint64_t size_rank(real value);

/// Writes the coordinates of size_rank `least` at least, ascending.
void coordinates_from(ConstView z, std::uint64_t least, std::vector<std::uint32_t>& out);

/// Writes the k coordinates of the largest sizes, ascending; of equal ones those that come first.
class TopK {
 public:
  void operator()(ConstView z, std::size_t k, std::vector<std::uint32_t>& out);

 private:
  std::vector<std::uint64_t> sample_;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint64_t> ranks_;
};

/// A size_rank that about k of the coordinates reach, from every `stride`-th of them.
std::uint64_t sampled_rank(ConstView z, std::size_t k, std::size_t stride,
                           std::vector<std::uint64_t>& room);

}  // namespace trilemma
