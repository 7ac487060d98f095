#pragma once
// What is drawn from a keyed stream: random subsets of {0, ..., n - 1}, ascending, and orders.

#include <array>
#include <utility>
#include <vector>

#include "numeric/random.hpp"

namespace trilemma {

/// The coin of a round that all clients and the server see alike, true with probability p; always
/// in the first round.
bool common_coin(std::uint64_t seed, std::uint32_t round, double p);

/// Puts the values into a uniformly random order (Fisher and Yates 1938).
template <class T>
void shuffle(std::vector<T>& values, const Key& key) {
  Stream stream(key);
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[stream.below(static_cast<std::uint32_t>(left))]);
}

/// Uniform subsets of a fixed size: Floyd's algorithm (Bentley and Floyd 1987) on a bitmap,
/// O(size + n / 64).
class SubsetDraw {
 public:
  /// Writes `size` of n numbers.
  void operator()(const Key& key, std::size_t n, std::size_t size, std::vector<std::uint32_t>& out);

 private:
  /// drawn[i] is uniform below bound + i.
  void draw(const Key& key, std::uint32_t bound, std::span<std::uint32_t> drawn);

  std::array<std::uint32_t, 256> word_{};
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
