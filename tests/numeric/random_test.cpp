// Keyed streams (src/numeric/random.hpp, spec algorithms.md 1.5): Philox4x32-10 to the bit,
// addressed by (seed, purpose, client, round, index) and nothing else.

#include "numeric/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace trilemma::random_test {

constexpr Key key{0x0123456789ABCDEFULL, Purpose::mask, 17, 4242};

std::array<std::uint32_t, 4> block_of(const Key& of, std::uint32_t block) {
  std::array<std::uint32_t, 4> out{};
  philox_block(of, block, out.data());
  return out;
}

// Known answers published with Random123 (kat_vectors, philox4x32, 10 rounds): counter, key,
// result.
TEST(Philox, KnownAnswers) {
  const auto zero = block_of({0, static_cast<Purpose>(0), 0, 0}, 0);
  EXPECT_EQ(zero, (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const auto ones =
      block_of({0xFFFFFFFFFFFFFFFFULL, static_cast<Purpose>(0xFFFFFFFFU), 0xFFFFFFFFU, 0xFFFFFFFFU},
               0xFFFFFFFFU);
  EXPECT_EQ(ones, (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // Counter 243f6a88 85a308d3 13198a2e 03707344 = block, round, client, purpose.
  const auto pi =
      block_of({0x299f31d0a4093822ULL, static_cast<Purpose>(0x03707344U), 0x13198a2eU, 0x85a308d3U},
               0x243f6a88U);
  EXPECT_EQ(pi, (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, VectorKernelEqualsScalarToTheBit) {
  for (const std::uint32_t first : {0U, 1U, 15U, 16U, 12345U, 0xFFFFFFF0U}) {
    for (const std::size_t count : {1U, 3U, 4U, 63U, 64U, 65U, 130U, 1000U}) {
      std::vector<std::uint32_t> words(count);
      random_words(key, first, words);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(words[i], block_of(key, first + static_cast<std::uint32_t>(i / 4))[i % 4])
            << first << ' ' << i;
    }
  }
}

TEST(Philox, StreamReadsTheWordsInOrder) {
  std::vector<std::uint32_t> words(500);
  random_words(key, 0, words);
  Stream stream(key);
  for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(stream.word(), words[i]) << i;
}

TEST(Philox, EveryCoordinateOfTheKeyMakesAnotherStream) {
  std::vector<Key> keys;
  for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32, 1ULL << 63})
    for (std::uint32_t purpose = 0; purpose < 8; ++purpose)
      for (std::uint32_t client : {0U, 1U, 2U, 1000U})
        for (std::uint32_t round : {0U, 1U, 2U, 1000U})
          keys.push_back({seed, static_cast<Purpose>(purpose), client, round});
  std::set<std::array<std::uint32_t, 4>> seen;
  for (const auto& each : keys)
    for (std::uint32_t block = 0; block < 3; ++block) seen.insert(block_of(each, block));
  // 1,536 different 128-bit blocks; a chance collision has probability below 1e-32.
  EXPECT_EQ(seen.size(), 3 * keys.size());
}

TEST(Stream, UniformIsInsideTheOpenInterval) {
  Stream stream(key);
  double sum = 0;
  constexpr int count = 1'000'000;
  for (int i = 0; i < count; ++i) {
    const double u = stream.uniform();
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  // Five standard errors of the mean, 1/sqrt(12 N): a right generator fails with probability 6e-7.
  EXPECT_NEAR(sum / count, 0.5, 5.0 / std::sqrt(12.0 * count));
}

TEST(Stream, BelowStaysInItsRange) {
  Stream stream(key);
  for (const std::uint32_t bound : {1U, 2U, 3U, 7U, 1000U, 0x80000001U, 0xFFFFFFFFU})
    for (int i = 0; i < 1000; ++i) ASSERT_LT(stream.below(bound), bound);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(stream.below(1), 0U);
}

// Chi-square over all values; the limit is the mean plus six standard deviations of the law, which
// a right generator exceeds with probability below 1e-6 for these bounds.
TEST(Stream, BelowIsUniform) {
  for (const std::uint32_t bound : {10U, 97U, 1000U}) {
    Stream stream({5, Purpose::minibatch, bound, 0});
    constexpr int draws = 500'000;
    std::vector<int> count(bound);
    for (int i = 0; i < draws; ++i) ++count[stream.below(bound)];
    const double expected = static_cast<double>(draws) / bound;
    double chi = 0;
    for (const int c : count) chi += (c - expected) * (c - expected) / expected;
    const double freedom = bound - 1;
    EXPECT_LT(chi, freedom + 6.0 * std::sqrt(2.0 * freedom) + 12.0) << bound;
    EXPECT_GT(chi, freedom - 6.0 * std::sqrt(2.0 * freedom)) << bound;
  }
}

// With 3 * 2^30 values the plain product maps words 0, 1, 2, 3 to 0, 0, 1, 2: half of the draws
// would be multiples of 3. Lemire's rejection makes the residues equally frequent.
TEST(Stream, BelowRejectsForLargeBounds) {
  constexpr std::uint32_t bound = 3U << 30;
  Stream stream({6, Purpose::minibatch, 0, 0});
  constexpr int draws = 300'000;
  int residue[3] = {};
  for (int i = 0; i < draws; ++i) ++residue[stream.below(bound) % 3];
  // Five standard deviations of Binomial(draws, 1/3).
  const double limit = 5.0 * std::sqrt(draws * 2.0 / 9.0);
  for (const int count : residue) EXPECT_NEAR(count, draws / 3.0, limit);
}

}  // namespace trilemma::random_test
