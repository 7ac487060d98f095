// The tail of normal numbers (src/numeric/random.hpp): chosen words, the places of a stream where
// more bits are drawn, and their law.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/random.hpp"
#include "numeric/secret.hpp"
#include "tests/support/secrets.hpp"

namespace trilemma::normal_tails_test {

constexpr Key key{2025, Purpose::noise, 1, 5};
constexpr std::uint32_t tail_words = 65536;
constexpr std::uint32_t ones = 0xFFFFFFFFU;

using More = std::array<std::uint32_t, 4>;

double square(std::uint32_t word, const More& more) {
  const double r = normal_radius(word, more);
  return r * r / 2;
}

// r^2 / 2 = -ln u with u by hand.
TEST(NormalTails, RadiusOfChosenWords) {
  const double ln2 = std::log(2.0);
  EXPECT_DOUBLE_EQ(square(0x80000000U, {}), -std::log((2147483648.5) / 4294967296.0));
  EXPECT_DOUBLE_EQ(square(ones, {}), -std::log1p(-0x1p-33));
  EXPECT_DOUBLE_EQ(square(tail_words, {ones, 1, 2, 3}), 32 * ln2 - std::log(65536.5));
  EXPECT_DOUBLE_EQ(square(5, {0x80000000U, 0, 0, 0}), 32 * ln2 - std::log(5.5));
  EXPECT_DOUBLE_EQ(square(0, {1, 0, 0, 0}), 64 * ln2);
  EXPECT_DOUBLE_EQ(square(0, {0, 3, 0x80000000U, 0}), 96 * ln2 - std::log(3.5));
  EXPECT_DOUBLE_EQ(square(0, {0, 0, 0, 7}), 160 * ln2 - std::log(7.5));
  EXPECT_DOUBLE_EQ(square(0, {}), 161 * ln2);
  EXPECT_DOUBLE_EQ(normal_radius(0, More{}), largest_normal());
  EXPECT_NEAR(largest_normal(), 14.94, 5e-3);
}

// P(r^2 / 2 > t) = e^-t: the radius falls with the words as with the digits of one number.
TEST(NormalTails, WordsAreDigitsOfOneNumber) {
  for (const std::uint32_t word : {0U, 1U, 2U, 1000U, tail_words - 1}) {
    EXPECT_NEAR(square(word, {ones, ones, ones, ones}), square(word + 1, {}),
                word + 1 == tail_words ? 1e-5 : 1e-9);
    EXPECT_GT(square(word, {0, 0, 0, 0}), square(word, {4096, 0, 0, 0}));
    EXPECT_GT(square(word, {0x7000, 0, 0, 0}), square(word, {0x8000, 0, 0, 0}));
  }
}

// Indices of the first numbers of pairs with tail words.
std::vector<std::uint32_t> tails(const Key& of, std::uint32_t pairs) {
  std::vector<std::uint32_t> words(2 * std::size_t{pairs});
  random_words(of, 0, words);
  std::vector<std::uint32_t> found;
  for (std::uint32_t pair = 0; pair < pairs; ++pair)
    if (words[2 * std::size_t{pair}] < tail_words) found.push_back(2 * pair);
  return found;
}

TEST(NormalTails, TheBitsAreAddressedLikeAllOthers) {
  const auto secret = testing::fixed_secret(7);
  Key hidden = key;
  hidden.secret = secret.get();
  for (const Key& of : {key, hidden}) {
    const auto places = tails(of, 1U << 19U);
    ASSERT_GE(places.size(), 3U);  // 8 expected
    for (const std::uint32_t first : places) {
      Key more_key = of;
      more_key.purpose = static_cast<Purpose>(0x80000000U + 4U);
      std::uint32_t word[4];
      std::uint32_t more[4];
      random_words(of, first / 4, word);
      random_words(more_key, first / 2, more);
      const double r = normal_radius(word[first % 4], more);
      const double angle = 6.283185307179586 * (word[first % 4 + 1] * 0x1p-32);
      double pair[2];
      normals(of, first, pair);
      EXPECT_NEAR(pair[0], r * std::cos(angle), 1e-13);
      EXPECT_NEAR(pair[1], r * std::sin(angle), 1e-13);
      EXPECT_NE(r, std::sqrt(-2 * std::log((word[first % 4] + 0.5) * 0x1p-32)));
      if (of.secret == nullptr) {
        EXPECT_NEAR(pair[0], normal_reference(of, first), 1e-13);
        EXPECT_NEAR(pair[1], normal_reference(of, first + 1), 1e-13);
      }
    }
  }
}

TEST(NormalTails, WholeVectorsAndPlacesHaveTheSameBits) {
  constexpr std::uint32_t pairs = 1U << 19U;
  for (const std::uint32_t first : tails(key, pairs)) {
    std::vector<double> around(200);
    const std::uint32_t begin = first < 101 ? 0 : first - 101;
    normals(key, begin, around);
    const std::uint32_t last = first + 1;
    const std::vector<std::uint32_t> at{first + 3, last, first, first + 2, first, begin};
    std::vector<double> out(at.size());
    normals_at(key, at, out);
    for (std::size_t i = 0; i < at.size(); ++i) EXPECT_EQ(out[i], around[at[i] - begin]);
  }
}

// Of 2^22 pairs 64 are tails, give or take 5 x 8; the bits that follow make u 2^32 uniform beyond
// its whole part: Kolmogorov and Smirnov, sqrt(N) D > 2.2253 with probability 1e-4.
TEST(NormalTails, TheLawGoesOnBelowTheFirstWord) {
  constexpr std::uint32_t pairs = 1U << 22U;
  const auto places = tails(key, pairs);
  EXPECT_NEAR(static_cast<double>(places.size()), 64, 40);
  std::vector<double> rest;
  for (const std::uint32_t first : places) {
    double pair[2];
    normals(key, first, pair);
    const double digits =
        std::exp(32 * std::log(2.0) - (pair[0] * pair[0] + pair[1] * pair[1]) / 2);
    std::uint32_t word[4];
    random_words(key, first / 4, word);
    EXPECT_NEAR(std::floor(digits), word[first % 4], 0);
    rest.push_back(digits - std::floor(digits));
  }
  std::sort(rest.begin(), rest.end());
  const auto n = static_cast<double>(rest.size());
  double distance = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    distance = std::max(
        {distance, rest[i] - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - rest[i]});
  EXPECT_LT(std::sqrt(n) * distance, 2.2253);
}

}  // namespace trilemma::normal_tails_test
