#pragma once
// Random subsets of {0, ..., n - 1}, ascending, drawn from a keyed stream.

#include <array>
#include <vector>

#include "core/random.hpp"

namespace trilemma {

/// Uniform subsets of a fixed size: Floyd's algorithm (Bentley and Floyd 1987) on a bitmap,
/// O(size + n / 64).
class SubsetDraw {
 public:
  /// Writes `size` of n numbers.
  void operator()(const Key& key, std::size_t n, std::size_t size, std::vector<std::uint32_t>& out);

 private:
  std::vector<std::uint64_t> bitmap_;  ///< all 0 between two draws
};

/// Independent coins, drawn by their gaps: the number of failures before the next success is
/// floor(log(u) / log(1 - p)), so the cost grows with the subset and not with n.
class CoinDraw {
 public:
  /// Writes each of n numbers with probability p, 0 < p <= 1.
  void operator()(const Key& key, std::size_t n, double p, std::vector<std::uint32_t>& out);

 private:
  static constexpr std::size_t words = 128;
  std::array<std::uint32_t, words> word_{};
  std::array<double, words / 2> gap_{};
};

}  // namespace trilemma
