// rand-k (src/compress/rand_k.cpp; spec algorithms.md 1.1): C(z) = (d/k) (mask .* z), the mask
// uniform over the subsets of k of d coordinates; omega = d/k - 1 with equality.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "tests/support/compressors.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::rand_k_test {

using testing::make_compressor;

Key key(std::uint32_t round) { return {11, Purpose::mask, 3, round}; }

TEST(RandK, ByHand) {
  const auto compressor = make_compressor("rand-k", 4, "k = 2");
  const Vector z{1, -2, 3, 4};
  std::set<std::vector<double>> seen;
  for (std::uint32_t round = 0; round < 200; ++round) {
    Message message;
    compressor->compress(z, key(round), message);
    ASSERT_EQ(message.index.size(), 2U);
    ASSERT_LT(message.index[0], message.index[1]);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(message.value[i], 2 * z[message.index[i]]);
    seen.insert(testing::dense(compressor->expand(message), 4));
  }
  EXPECT_EQ(seen.size(), 6U);  // 4 over 2
}

TEST(RandK, TraitsAndLayout) {
  const auto a9a = make_compressor("rand-k", 124, "k = 6");
  EXPECT_TRUE(a9a->traits().unbiased);
  EXPECT_NEAR(a9a->traits().omega, 19.66667, 5e-6);  // spec 6.6
  EXPECT_EQ(a9a->layout().most_bits(), 6U * 32U);
  EXPECT_EQ(make_compressor("rand-k", 124, "k = 6\nmask = \"explicit\"")->layout().most_bits(),
            6U * 39U);
  const auto mnist = make_compressor("rand-k", 50890);  // k = floor(d / 20)
  EXPECT_EQ(mnist->layout().count, 2544U);
  EXPECT_NEAR(mnist->traits().omega, 19.00393, 5e-6);
  EXPECT_NEAR(make_compressor("rand-k", 51675)->traits().omega, 19.00581, 5e-6);
  EXPECT_EQ(make_compressor("rand-k", 7)->layout().count, 1U);  // at least one
}

TEST(RandK, AllCoordinatesIsTheIdentity) {
  const Vector z = testing::random_vector(37, 1);
  for (const char* mask : {"keyed", "explicit"}) {
    const auto compressor =
        make_compressor("rand-k", 37, "k = 37\nmask = \"" + std::string(mask) + "\"",
                        testing::wide ? ValueFormat::float64 : ValueFormat::float32);
    EXPECT_EQ(compressor->traits().omega, 0.0);
    Message message;
    compressor->compress(z, key(0), message);
    const auto out = testing::dense(compressor->expand(message), 37);
    for (std::size_t j = 0; j < z.size(); ++j) EXPECT_EQ(out[j], z[j]);
  }
}

// Chi-square of 60,000 masks over the 20 subsets of 3 of 6: 19 degrees of freedom, above 60 with
// probability 4e-6 for a right program.
TEST(RandK, MasksAreUniformOverSubsets) {
  const auto compressor = make_compressor("rand-k", 6, "k = 3");
  std::map<std::vector<std::uint32_t>, int> count;
  std::vector<std::uint32_t> index;
  constexpr int draws = 60'000;
  for (std::uint32_t round = 0; round < draws; ++round) {
    compressor->oblivious()->support(key(round), index);
    ++count[index];
  }
  ASSERT_EQ(count.size(), 20U);
  double chi = 0;
  for (const auto& [mask, c] : count) chi += (c - 3000.0) * (c - 3000.0) / 3000.0;
  EXPECT_LT(chi, 60.0);
}

// spec 1.1: E||C(z)-z||^2 = (d/k - 1)||z||^2 and E||C(z)||^2 = (d/k)||z||^2, both with equality.
// Five standard errors.
TEST(RandK, OmegaHoldsWithEquality) {
  const Vector z = testing::random_vector(40, 2);
  double square = 0;
  for (const double v : z) square += v * v;
  for (const long k : {1, 2, 10, 39}) {
    const auto compressor = make_compressor("rand-k", 40, "k = " + std::to_string(k));
    testing::Sample error;
    testing::Sample size;
    for (std::uint32_t round = 0; round < 20'000; ++round) {
      Message message;
      compressor->compress(z, key(round), message);
      const auto out = testing::dense(compressor->expand(message), 40);
      double distance = 0;
      double norm = 0;
      for (std::size_t j = 0; j < z.size(); ++j) {
        distance += (out[j] - static_cast<double>(z[j])) * (out[j] - static_cast<double>(z[j]));
        norm += out[j] * out[j];
      }
      error.add(distance);
      size.add(norm);
    }
    const double ratio = 40.0 / static_cast<double>(k);
    testing::expect_mean(error, (ratio - 1) * square, 1e-5 * square);
    testing::expect_mean(size, ratio * square, 1e-5 * square);
  }
}

// spec 6: compressors are independent over clients and rounds.
TEST(RandK, MasksDifferByClientRoundAndSeed) {
  const auto compressor = make_compressor("rand-k", 1000, "k = 50");
  std::vector<std::uint32_t> base;
  std::vector<std::uint32_t> other;
  compressor->oblivious()->support({1, Purpose::mask, 1, 1}, base);
  for (const Key k :
       {Key{2, Purpose::mask, 1, 1}, Key{1, Purpose::mask, 2, 1}, Key{1, Purpose::mask, 1, 2}}) {
    compressor->oblivious()->support(k, other);
    std::vector<std::uint32_t> common;
    std::set_intersection(base.begin(), base.end(), other.begin(), other.end(),
                          std::back_inserter(common));
    // 2.5 +- 1.5 of 50 expected; more than 12 has probability below 1e-5.
    EXPECT_LE(common.size(), 12U);
  }
}

TEST(RandK, RefusesMoreThanD) {
  testing::expect_parts(testing::refusal([] { make_compressor("rand-k", 10, "k = 11"); }),
                        {"compressor.toml:1", "k = 11", "d = 10"});
  testing::expect_parts(testing::refusal([] { make_compressor("rand-k", 10, "k = -1"); }),
                        {"k = -1"});
}

}  // namespace trilemma::rand_k_test
