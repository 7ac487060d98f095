// Words and numbers under a secret (src/numeric/secret.hpp, src/numeric/random.hpp): ChaCha20 of
// RFC 8439, addressed like every stream.

#include "numeric/secret.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "numeric/random.hpp"
#include "tests/support/secrets.hpp"
#include "tests/support/statistics.hpp"

namespace trilemma::secret_test {

using testing::fixed_secret;

constexpr std::size_t keystream_size = 4096;

Key under(const Secret& secret, std::uint32_t round = 9) {
  return {77, Purpose::noise, 3, round, &secret};
}

std::vector<std::uint32_t> words_of(const Key& key, std::uint32_t first_block, std::size_t count) {
  std::vector<std::uint32_t> out(count);
  random_words(key, first_block, out);
  return out;
}

std::vector<double> normals_of(const Key& key, std::uint32_t first, std::size_t count) {
  std::vector<double> out(count);
  normals(key, first, out);
  return out;
}

// RFC 8439 section 2.3.2: key 00 .. 1f, nonce 00 00 00 09 00 00 00 4a 00 00 00 00, block 1. Words
// 16 to 31 of a stream are that block, since our blocks have four words.
TEST(Secret, WordsAreTheTestVectorOfTheRfc) {
  const auto secret = fixed_secret(0);
  const Key key{0, static_cast<Purpose>(0x09000000U), 0x4a000000U, 0, secret.get()};
  EXPECT_EQ(words_of(key, 4, 16),
            (std::vector<std::uint32_t>{0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7,
                                        0x0368c033, 0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07,
                                        0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de, 0xe883d0cb,
                                        0x4e3c50a2}));
}

TEST(Secret, WordsAreTheKeystreamWhereverTheReadingStarts) {
  const auto secret = fixed_secret(1);
  const Key key = under(*secret);
  std::vector<std::uint32_t> all(keystream_size);
  secret->keystream({static_cast<std::uint32_t>(Purpose::noise), 3, 9}, 0, all);
  for (std::ptrdiff_t block = 0; block < 40; ++block)
    for (const std::size_t count : {1U, 3U, 4U, 15U, 64U, 65U, 200U}) {
      const auto part = words_of(key, static_cast<std::uint32_t>(block), count);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 4 * block))
          << block << ' ' << count;
    }
  Stream stream(key);
  for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(stream.word(), all[i]) << i;
}

TEST(Secret, TheStreamEndsWhereItsBlockNumbersEnd) {
  const auto secret = fixed_secret(1);
  std::vector<std::uint32_t> last(16);
  secret->keystream({static_cast<std::uint32_t>(Purpose::noise), 3, 9}, 0x3FFFFFFFU, last);
  EXPECT_EQ(words_of(under(*secret), 0xFFFFFFFCU, 16), last);
}

TEST(Secret, TheSeedPlaysNoPart) {
  const auto secret = fixed_secret(1);
  Key other = under(*secret);
  other.seed = 78;
  EXPECT_EQ(words_of(other, 0, 100), words_of(under(*secret), 0, 100));
}

// Box and Muller 1958 with the mathematical library.
TEST(Secret, NormalsFollowFromTheWordsTo1e13) {
  const auto secret = fixed_secret(2);
  const auto word = words_of(under(*secret), 0, 3000);
  const auto number = normals_of(under(*secret), 0, 3000);
  for (std::size_t i = 0; i < number.size(); ++i) {
    const std::size_t pair = i / 2 * 2;
    const double r = std::sqrt(-2.0 * std::log((word[pair] + 0.5) * 0x1p-32));
    const double angle = 6.283185307179586 * (word[pair + 1] * 0x1p-32);
    ASSERT_NEAR(number[i], r * (i % 2 == 0 ? std::cos(angle) : std::sin(angle)), 1e-13) << i;
  }
}

TEST(Secret, ANormalDoesNotDependOnWhereTheReadingStarts) {
  const auto secret = fixed_secret(2);
  const auto all = normals_of(under(*secret), 0, keystream_size);
  for (std::uint32_t first = 0; first < 140; ++first)
    for (const std::size_t count : {1U, 2U, 5U, 64U, 65U, 200U}) {
      const auto part = normals_of(under(*secret), first, count);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), all.begin() + first))
          << first << ' ' << count;
    }
}

TEST(Secret, NormalsAtPlacesHaveTheSameBits) {
  const auto secret = fixed_secret(2);
  const auto all = normals_of(under(*secret), 0, keystream_size);
  Stream stream({1, Purpose::mask, 0, 0});
  for (int trial = 0; trial < 300; ++trial) {
    // Any order with repeats; ascending; close together.
    const std::uint32_t bound = trial % 3 == 2 ? 50 : keystream_size;
    std::vector<std::uint32_t> at(stream.below(200));
    for (auto& place : at) place = stream.below(bound);
    if (trial % 3 != 0) std::sort(at.begin(), at.end());
    std::vector<double> out(at.size());
    normals_at(under(*secret), at, out);
    for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(out[i], all[at[i]]) << trial << ' ' << i;
  }
  const std::vector<std::uint32_t> end{0U, 0xFFFFFFFEU, 0xFFFFFFFFU};
  std::vector<double> out(3);
  normals_at(under(*secret), end, out);
  EXPECT_EQ(out[0], all[0]);
  EXPECT_EQ(normals_of(under(*secret), 0xFFFFFFFEU, 2), (std::vector<double>{out[1], out[2]}));
}

// Equal words have probability 2^-32 each for two secrets of the system, so this fails with
// probability below 1e-7; a whole repeated stream, never.
TEST(Secret, TwoSecretsDifferInEverything) {
  const Secret one;
  const Secret other;
  const auto differ = [](const auto& a, const auto& b) {
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NE(a[i], b[i]) << i;
  };
  differ(words_of(under(one), 0, 128), words_of(under(other), 0, 128));
  differ(normals_of(under(one), 0, 128), normals_of(under(other), 0, 128));
  differ(words_of(under(one), 0, 128), words_of({77, Purpose::noise, 3, 9}, 0, 128));
}

TEST(Secret, EveryCoordinateOfTheKeyMakesAnotherStream) {
  const auto secret = fixed_secret(3);
  std::set<std::vector<std::uint32_t>> seen;
  for (const Purpose purpose : {Purpose::minibatch, Purpose::noise})
    for (const std::uint32_t client : {0U, 1U, 2U, 1000U})
      for (const std::uint32_t round : {0U, 1U, 2U, 1000U})
        for (std::uint32_t block = 0; block < 5; ++block)
          seen.insert(words_of({1, purpose, client, round, secret.get()}, block, 4));
  // 160 different blocks of 128 bits; a chance collision has probability below 1e-34.
  EXPECT_EQ(seen.size(), 160U);
}

// E z = 0 and E z^2 = 1 within five standard errors: fails with probability 1.2e-6.
TEST(Secret, NormalsHaveMeanZeroAndVarianceOne) {
  const auto secret = fixed_secret(4);
  testing::Sample value;
  testing::Sample square;
  for (const double z : normals_of(under(*secret), 0, 1'000'000)) {
    value.add(z);
    square.add(z * z);
  }
  testing::expect_mean(value, 0.0);
  testing::expect_mean(square, 1.0);
}

}  // namespace trilemma::secret_test
