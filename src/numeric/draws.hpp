#pragma once
// Draws from a keyed stream: random subsets of {0, ..., n - 1} in ascending order, permutations,
// and coins.

#include <array>
#include <utility>
#include <vector>

#include "numeric/random.hpp"

namespace trilemma {

/// Returns the coin of `round`, the same for all clients and the server: true with probability p,
/// and always in round 0.
bool common_coin(std::uint64_t seed, std::uint32_t round, double p);

/// Shuffles `values` into a uniformly random order (Fisher and Yates 1938).
template <class T>
void shuffle(std::vector<T>& values, const Key& key) {
  Stream stream(key);
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[stream.below(static_cast<std::uint32_t>(left))]);
}

/// Draws uniform subsets of a fixed size with Floyd's algorithm (Bentley and Floyd 1987) on a
/// bitmap, in O(size + n / 64).
class SubsetDraw {
 public:
  /// Writes a subset of `size` of the numbers 0, ..., n - 1 to `out`, ascending.
  void operator()(const Key& key, std::size_t n, std::size_t size, std::vector<std::uint32_t>& out);

 private:
  /// Draws drawn[i] uniformly from {0, ..., bound + i - 1}.
  void draw(const Key& key, std::uint32_t bound, std::span<std::uint32_t> drawn);

  std::array<std::uint32_t, 256> word_{};
  std::vector<std::uint64_t> bitmap_;  ///< all 0 between two draws
};

/// Draws n independent coins by their gaps: the number of failures before the next success is
/// floor(log(u) / log(1 - p)), so the cost grows with the size of the subset and not with n.
class CoinDraw {
 public:
  /// Writes each of the numbers 0, ..., n - 1 to `out` with probability p, 0 < p <= 1, ascending.
  void operator()(const Key& key, std::size_t n, double p, std::vector<std::uint32_t>& out);

 private:
  static constexpr std::size_t words = 128;
  std::array<std::uint32_t, words> word_{};
  std::array<double, words / 2> gap_{};
};

}  // namespace trilemma
