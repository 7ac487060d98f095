// Secure aggregation (src/privacy/secure_sum.hpp): graphs of the literature, masks that cancel with
// and without drop-outs, and words that look uniform.

#include "privacy/secure_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trilemma::secure_sum_test {

using accounting::mask_graph;
using accounting::MaskGraph;

constexpr std::size_t dimension = 50;

std::int32_t in_range(std::int64_t value, unsigned bits) {
  const std::int64_t modulus = std::int64_t{1} << bits, half = modulus / 2;
  const std::int64_t rest = ((value + half) % modulus + modulus) % modulus;
  return static_cast<std::int32_t>(rest - half);
}

// A word of `client`, over the whole range.
std::int32_t word(std::uint32_t client, std::size_t j, unsigned bits) {
  return in_range(static_cast<std::int64_t>(7919 * (client + 1) * (j + 3)), bits);
}

std::vector<std::int32_t> words_of(std::uint32_t client, unsigned bits) {
  std::vector<std::int32_t> words(dimension);
  for (std::size_t j = 0; j < dimension; ++j) words[j] = word(client, j, bits);
  return words;
}

std::vector<std::uint32_t> everyone_but(std::uint32_t clients, Coordinates gone) {
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < clients; ++i)
    if (std::ranges::find(gone, i) == gone.end()) left.push_back(i);
  return left;
}

// Expects the sum of masked words of those that are left, without its masks, to be that of their
// words modulo 2^b.
void expect_sum(PairMasks& masks, std::uint32_t clients, Coordinates gone, unsigned bits,
                std::uint32_t round) {
  const auto left = everyone_but(clients, gone);
  std::vector<double> sum(dimension);
  std::vector<std::int64_t> plain(dimension);
  for (const std::uint32_t client : left) {
    auto words = words_of(client, bits);
    for (std::size_t j = 0; j < dimension; ++j) plain[j] += words[j];
    masks.add(round, client, words);
    for (std::size_t j = 0; j < dimension; ++j) {
      EXPECT_EQ(words[j], in_range(words[j], bits));
      sum[j] += words[j];
    }
  }
  masks.remove(round, left, sum);
  for (std::size_t j = 0; j < dimension; ++j)
    EXPECT_EQ(in_range(static_cast<std::int64_t>(sum[j]), bits), in_range(plain[j], bits))
        << "b = " << bits << ", " << clients << " clients, " << gone.size() << " gone";
}

TEST(MaskGraphs, AreTheSmallestOfTheLiterature) {
  const auto found = [](std::uint32_t n, std::uint32_t corrupt, std::uint32_t dropouts) {
    const MaskGraph g = mask_graph({n, corrupt, dropouts});
    return std::pair(g.degree, g.threshold);
  };
  EXPECT_EQ(found(100, 10, 10), std::pair(42U, 14U));
  EXPECT_EQ(found(1000, 100, 100), std::pair(52U, 28U));
  EXPECT_EQ(found(10000, 1000, 1000), std::pair(60U, 32U));
  EXPECT_EQ(found(100, 20, 10).first, 54U);
  EXPECT_EQ(found(1000, 200, 100).first, 74U);
  EXPECT_EQ(found(10000, 2000, 1000).first, 90U);
  // Too few clients for a sparse graph: all others, and one more share than the corrupt hold.
  EXPECT_EQ(found(10, 2, 3), std::pair(9U, 3U));
  EXPECT_EQ(found(2, 0, 0), std::pair(1U, 1U));
}

TEST(MaskGraphs, NeedEnoughSurvivors) {
  EXPECT_EQ(mask_graph({10, 3, 5}).threshold, 4U);
  EXPECT_THROW(mask_graph({10, 4, 5}), std::invalid_argument);
}

TEST(MaskTrafficOfARound, IsThatOfTheProtocol) {
  // 5 clients with 2 neighbours: 64 bytes of keys, 2 * 80 of shares, and 2 * 32 of 4 survivors.
  const MaskTraffic traffic = mask_traffic({.degree = 2, .threshold = 2}, 5, 4);
  EXPECT_EQ(traffic.up, 8U * (5 * (64 + 160) + 4 * 64));
  EXPECT_EQ(traffic.down, 8U * (5 * (128 + 160) + 4 * 1));
}

TEST(PairMasks, CancelInTheSum) {
  for (const unsigned bits : {8U, 13U, 16U, 24U})
    for (const MaskGraph graph : {MaskGraph{11, 3}, MaskGraph{4, 2}}) {
      PairMasks masks(3, 12, graph, bits);
      expect_sum(masks, 12, {}, bits, 0);
      expect_sum(masks, 12, std::vector<std::uint32_t>{5}, bits, 1);
      expect_sum(masks, 12, std::vector<std::uint32_t>{0, 3, 11}, bits, 2);
    }
}

TEST(PairMasks, OfTwoClientsCancel) {
  PairMasks masks(3, 2, {1, 1}, 16);
  expect_sum(masks, 2, {}, 16, 0);
  expect_sum(masks, 2, std::vector<std::uint32_t>{1}, 16, 0);
}

TEST(PairMasks, AreThoseOfASymmetricRegularGraph) {
  PairMasks masks(9, 20, {6, 3}, 16);
  std::vector<std::vector<std::uint32_t>> of(20);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Coordinates found = masks.neighbours(4, i);
    of[i].assign(found.begin(), found.end());
    EXPECT_EQ(of[i].size(), 6U);
    EXPECT_TRUE(std::ranges::adjacent_find(of[i], std::greater_equal()) == of[i].end());
  }
  for (std::uint32_t i = 0; i < 20; ++i)
    for (const std::uint32_t j : of[i]) {
      EXPECT_NE(i, j);
      EXPECT_TRUE(std::ranges::binary_search(of[j], i));
    }
  // Another round has another ring.
  const Coordinates later = masks.neighbours(5, 0);
  EXPECT_FALSE(std::ranges::equal(of[0], later));
}

// Of two clients, so that each has the same neighbour in both rounds.
TEST(PairMasks, AreNewInEveryRound) {
  PairMasks masks(9, 2, {1, 1}, 16);
  std::vector<std::int32_t> first(100), second(100);
  masks.add(0, 0, first);
  masks.add(1, 0, second);
  const auto self = [&](std::uint32_t round) {
    std::vector<double> sum(100);
    std::vector<std::int32_t> words(100);
    masks.add(round, 0, words);
    for (std::size_t j = 0; j < 100; ++j) sum[j] = words[j];
    // Client 1 is lost, so its pairwise mask is subtracted with the own mask of client 0.
    masks.remove(round, std::vector<std::uint32_t>{0}, sum);
    return sum;
  };
  for (const std::uint32_t round : {0U, 1U})
    for (const double value : self(round)) EXPECT_EQ(std::fmod(value, 65536), 0);
  std::size_t equal = 0;
  for (std::size_t j = 0; j < 100; ++j) equal += first[j] == second[j] ? 1 : 0;
  EXPECT_LT(equal, 5U);
}

TEST(PairMasks, TellWhoseKeysAreLost) {
  PairMasks masks(9, 12, {4, 2}, 16);
  const std::vector<std::uint32_t> all = everyone_but(12, {});
  EXPECT_FALSE(masks.lost_client(0, all));
  const Coordinates found = masks.neighbours(0, 7);
  const std::vector<std::uint32_t> near(found.begin(), found.end());
  EXPECT_FALSE(masks.lost_client(0, everyone_but(12, Coordinates(near).first(1))));
  // The threshold itself suffices: 2 of 4.
  EXPECT_FALSE(masks.lost_client(0, everyone_but(12, Coordinates(near).first(2))));
  EXPECT_EQ(masks.lost_client(0, everyone_but(12, Coordinates(near).first(3))), 7U);
}

// Chi-square of `counts` against equal probabilities, in standard deviations from its mean.
double excess(const std::vector<int>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto cells = static_cast<double>(counts.size());
  double chi = 0;
  for (const int count : counts)
    chi += (count - total / cells) * (count - total / cells) / (total / cells);
  return (chi - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

TEST(PairMasks, MakeWordsUniformAndIndependent) {
  constexpr std::size_t many = 200'000;
  constexpr unsigned bits = 16;
  PairMasks masks(1, 6, {4, 2}, bits);
  // The words of two clients that send the same small number at every coordinate.
  std::vector<std::vector<std::int32_t>> sent;
  for (const std::uint32_t client : {1U, 2U}) {
    sent.emplace_back(many, 3);
    masks.add(0, client, sent.back());
  }
  std::vector<int> top(256), low(256), both(256);
  for (std::size_t j = 0; j < many; ++j) {
    const auto a = static_cast<std::uint32_t>(sent[0][j]) & 0xFFFFU;
    const auto b = static_cast<std::uint32_t>(sent[1][j]) & 0xFFFFU;
    ++top[a >> 8U];
    ++low[a & 0xFFU];
    ++both[(a >> 12U) << 4U | b >> 12U];
  }
  // A normal deviate exceeds 5 with a probability of 3e-7.
  EXPECT_LT(std::abs(excess(top)), 5);
  EXPECT_LT(std::abs(excess(low)), 5);
  EXPECT_LT(std::abs(excess(both)), 5);
  // Another round has other masks.
  std::vector<std::int32_t> later(many, 3);
  masks.add(1, 1, later);
  std::size_t equal = 0;
  for (std::size_t j = 0; j < many; ++j) equal += later[j] == sent[0][j] ? 1U : 0U;
  EXPECT_LT(equal, 20U);  // 3 are expected
}

}  // namespace trilemma::secure_sum_test
