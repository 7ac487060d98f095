// Compressors that send some coordinates: values by hand, joint properties over clients, refusals.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "base/check.hpp"
#include "compress/selection.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::sparse_test {

using testing::make_compressor;

Key key(std::uint32_t client, std::uint32_t round) { return {5, Purpose::mask, client, round}; }

std::vector<std::uint32_t> sent(Compressor& compressor, const Vector& z, const Key& of) {
  Message message;
  compressor.compress(z, of, message);
  return message.index;
}

// Every block of 4 of 9 comes about equally often, also those around the end, and is scaled by 9/4.
TEST(RandSeqK, SendsABlock) {
  const auto compressor = make_compressor("rand-seq-k", 9, "k = 4");
  EXPECT_DOUBLE_EQ(compressor->traits().omega, 1.25);
  EXPECT_EQ(compressor->layout().most_bits(), 4U * 32U);
  std::map<std::vector<std::uint32_t>, int> seen;
  for (std::uint32_t round = 0; round < 900; ++round)
    ++seen[sent(*compressor, Vector(9, real{1}), key(0, round))];
  EXPECT_EQ(seen.size(), 9U);
  for (const auto& [block, times] : seen) {
    EXPECT_TRUE(std::ranges::is_sorted(block));
    EXPECT_GT(times, 50);  // 100 in the mean, five standard deviations
  }
  EXPECT_EQ(seen.count({0, 1, 2, 8}), 1U);
  EXPECT_EQ(seen.count({0, 1, 3, 8}), 0U);
  Message message;
  compressor->compress(Vector(9, real{4}), key(0, 1), message);
  EXPECT_EQ(message.value, Vector(4, real{9}));
}

TEST(SharedMasks, AreThoseOfAllClientsOfARound) {
  const Vector z = testing::random_vector(40, 3);
  for (const char* kind : {"rand-k", "rand-seq-k"}) {
    const auto shared = make_compressor(kind, 40, "k = 6\nmask = \"shared\"");
    const auto own = make_compressor(kind, 40, "k = 6");
    EXPECT_EQ(sent(*shared, z, key(1, 7)), sent(*shared, z, key(2, 7))) << kind;
    EXPECT_NE(sent(*shared, z, key(1, 7)), sent(*shared, z, key(1, 8))) << kind;
    EXPECT_NE(sent(*own, z, key(1, 7)), sent(*own, z, key(2, 7))) << kind;
  }
}

// 23 coordinates in 5 parts of 4: parts never meet, three are left out, and client 5 has the part
// of client 0.
TEST(PermK, DividesTheCoordinates) {
  const auto compressor = make_compressor("perm-k", 23, "parts = 5");
  const Vector z(23, real{4});
  for (std::uint32_t round = 0; round < 20; ++round) {
    std::set<std::uint32_t> all;
    for (std::uint32_t client = 0; client < 5; ++client)
      for (const auto j : sent(*compressor, z, key(client, round)))
        EXPECT_TRUE(all.insert(j).second);
    EXPECT_EQ(all.size(), 20U);
    EXPECT_EQ(sent(*compressor, z, key(5, round)), sent(*compressor, z, key(0, round)));
  }
  Message message;
  compressor->compress(z, key(1, 1), message);
  EXPECT_EQ(message.value, Vector(4, real{23}));  // 4 * 23 / 4
  EXPECT_THROW(make_compressor("perm-k", 5, "parts = 6"), UserError);
  EXPECT_EQ(make_compressor("perm-k", 5)->layout().count, 1U);
}

// With as many clients as parts, what all have sent adds up to the vector they have in common.
TEST(PermK, ClientsThatAgreeLoseNothing) {
  const auto compressor = make_compressor("perm-k", 20, "parts = 5");
  const Vector z = testing::random_vector(20, 2);
  std::vector<double> mean(20, 0.0);
  for (std::uint32_t client = 0; client < 5; ++client) {
    Message message;
    compressor->compress(z, key(client, 3), message);
    const auto dense = testing::dense(compressor->expand(message), 20);
    for (std::size_t j = 0; j < 20; ++j) mean[j] += dense[j] / 5;
  }
  for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(mean[j], static_cast<double>(z[j]), 1e-6);
}

TEST(TopKCompressor, SendsTheLargestAndOfEqualOnesTheFirst) {
  const auto compressor = make_compressor("top-k", 6, "k = 3");
  const Vector z{1, -5, 2, 2, -2, 0};
  Message message;
  compressor->compress(z, key(0, 0), message);
  EXPECT_EQ(message.index, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(message.value, (Vector{-5, 2, 2}));
  EXPECT_FALSE(compressor->traits().unbiased);
  EXPECT_DOUBLE_EQ(compressor->traits().delta, 0.5);
  EXPECT_THROW(make_compressor("top-k", 6, "k = 7"), UserError);
}

// Against sorting, for vectors with many ties, with few, with zeros and with values that are not
// finite.
TEST(Selection, TopKIsWhatSortingFinds) {
  TopK top;
  std::vector<std::uint32_t> found;
  for (const std::size_t d : {1U, 5U, 60U, 61U, 5000U})
    for (std::uint32_t kind = 0; kind < 4; ++kind) {
      Vector z = testing::random_vector(d, 11 + kind);
      for (auto& value : z) {
        if (kind == 1) value = std::round(value);
        if (kind == 2) value = 0;
        if (kind == 3) value = value > 1 ? std::numeric_limits<real>::infinity() : value;
      }
      std::vector<std::uint32_t> order(d);
      std::iota(order.begin(), order.end(), 0U);
      std::ranges::stable_sort(order, [&z](std::uint32_t a, std::uint32_t b) {
        return std::abs(z[a]) > std::abs(z[b]);
      });
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, d / 20, d / 3, d - 1, d}) {
        std::vector<std::uint32_t> expected(order.begin(),
                                            order.begin() + static_cast<std::ptrdiff_t>(k));
        std::ranges::sort(expected);
        top(z, k, found);
        ASSERT_EQ(found, expected) << d << ' ' << kind << ' ' << k;
      }
    }
}

TEST(Threshold, SendsWhatReachesIt) {
  const auto compressor = make_compressor("threshold", 5, "threshold = 2");
  const Vector z{1, -2, static_cast<real>(1.999), 3, -7};
  EXPECT_EQ(sent(*compressor, z, key(0, 0)), (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_TRUE(sent(*compressor, Vector(5, real{1}), key(0, 0)).empty());
}

// Of 20,000 normal numbers about 1000: the sample of a seventh has a standard deviation of 5 %.
TEST(AdaptiveThreshold, MeetsTheExpectedSize) {
  const auto compressor = make_compressor("adaptive-threshold", 20'000, "k = 1000");
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const auto index = sent(*compressor, testing::random_vector(20'000, seed), key(0, 0));
    EXPECT_NEAR(static_cast<double>(index.size()), 1000.0, 300.0);
  }
}

}  // namespace trilemma::sparse_test
