// Compressors to levels: values, constants and sizes by hand, and that no draw grows a vector by
// more than the gain says.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "compress/quantiser.hpp"
#include "tests/support/compressors.hpp"

namespace trilemma::quantisers_test {

using testing::make_compressor;

Key key(std::uint32_t round) { return {5, Purpose::mask, 1, round}; }

std::vector<double> sent(Compressor& compressor, const Vector& z, std::uint32_t round) {
  Message message;
  compressor.compress(z, key(round), message);
  return testing::dense(compressor.expand(message), z.size());
}

// All values that a coordinate takes.
std::set<double> values_of(Compressor& compressor, const Vector& z, std::size_t j) {
  std::set<double> found;
  for (std::uint32_t round = 0; round < 200; ++round) found.insert(sent(compressor, z, round)[j]);
  return found;
}

// Norm 5 and s = 5: 3 and 4 are levels themselves, 2.5 lies between 2 and 3.
TEST(Qsgd, LevelsOfTheNorm) {
  const auto two = make_compressor("qsgd", 2, "levels = 5");
  EXPECT_EQ(sent(*two, {3, -4}, 1), (std::vector<double>{3, -4}));
  const auto most = make_compressor("qsgd", 2, "levels = 5\nnorm = \"max\"");
  EXPECT_EQ(values_of(*most, {5, static_cast<real>(-2.5)}, 1), (std::set<double>{-2, -3}));
  EXPECT_EQ(sent(*most, {0, 0}, 1), (std::vector<double>{0, 0}));
}

// 4 coordinates, s = 2: min(4/4, 2/2) and a quarter of 4/4; growth 1 + 2/2 = 2 at most, also 2 as
// the root of 4. A scale of 32 bits, and 4 levels of 3 bits.
TEST(Qsgd, ConstantsAndSize) {
  const auto two = make_compressor("qsgd", 4, "levels = 2");
  EXPECT_DOUBLE_EQ(two->traits().omega, 1.0);
  EXPECT_NEAR(two->traits().gain, 2.0, 1e-6);
  EXPECT_EQ(two->layout().most_bits(), 32U + 4U * 3U);
  const auto most = make_compressor("qsgd", 4, "levels = 2\nnorm = \"max\"");
  EXPECT_DOUBLE_EQ(most->traits().omega, 0.25);
  const auto buckets = make_compressor("qsgd", 100, "levels = 8\nbucket = 16");
  EXPECT_DOUBLE_EQ(buckets->traits().omega, 0.25);
  EXPECT_NEAR(buckets->traits().gain, 1.5, 1e-6);
  EXPECT_EQ(buckets->layout().scalars, 7U);
}

// A bucket of equal coordinates, all of which may go up: one step of the norm each.
TEST(Qsgd, TheGainIsReached) {
  const auto compressor = make_compressor("qsgd", 3, "levels = 1\nbucket = 0");
  double most = 0;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    double square = 0;
    for (const double v : sent(*compressor, {1, 1, 1}, round)) square += v * v / 3;
    most = std::max(most, std::sqrt(square));
  }
  EXPECT_NEAR(most, compressor->traits().gain, 1e-5);  // sqrt(3)
}

// Norm 8: levels 8, 4, 2 and 0 with s = 3; 3 lies between 2 and 4, 1 between 0 and 2.
TEST(NaturalDithering, PowersOfTwoBelowTheNorm) {
  const auto compressor = make_compressor("natural-dithering", 4, "levels = 3");
  const auto rest = static_cast<real>(std::sqrt(64.0 - 9 - 1 - 16));
  const Vector z{3, 1, -4, rest};
  EXPECT_EQ(values_of(*compressor, z, 0), (std::set<double>{2, 4}));
  EXPECT_EQ(values_of(*compressor, z, 1), (std::set<double>{0, 2}));
  EXPECT_EQ(values_of(*compressor, z, 2), (std::set<double>{-4}));
  // 1/8 + sqrt(4) / 4 * (sqrt(4) / 4)
  EXPECT_DOUBLE_EQ(compressor->traits().omega, 0.375);
  EXPECT_NEAR(compressor->traits().gain, 2.0, 1e-6);
}

// omega is reached where the others are M / (1 + sqrt(b)): 4 coordinates, M = 3, the others 1.
TEST(Ternary, ByHand) {
  const auto compressor = make_compressor("ternary", 4);
  const Vector z{3, -1, 1, 1};
  EXPECT_EQ(values_of(*compressor, z, 0), (std::set<double>{3}));
  EXPECT_EQ(values_of(*compressor, z, 1), (std::set<double>{-3, 0}));
  const double variance = 3 * 1.0 * (3 - 1.0);
  EXPECT_DOUBLE_EQ(compressor->traits().omega, variance / 12);
  EXPECT_NEAR(compressor->traits().gain, 2.0, 1e-6);
  EXPECT_EQ(compressor->layout().most_bits(), 32U + 8U);
}

TEST(Sign, ByHand) {
  const auto compressor = make_compressor("sign", 4);
  EXPECT_EQ(sent(*compressor, {3, -1, 0, 4}, 1), (std::vector<double>{2, -2, 2, 2}));
  EXPECT_DOUBLE_EQ(compressor->traits().delta, 0.25);
  EXPECT_EQ(compressor->layout().most_bits(), 32U + 4U);
}

TEST(Grid, ByHand) {
  const auto compressor = make_compressor("grid", 3, "step = 0.5");
  const Vector z{1, static_cast<real>(-0.75), static_cast<real>(0.25)};
  EXPECT_EQ(values_of(*compressor, z, 0), (std::set<double>{1}));
  EXPECT_EQ(values_of(*compressor, z, 1), (std::set<double>{-1, -0.5}));
  EXPECT_EQ(values_of(*compressor, z, 2), (std::set<double>{0, 0.5}));
  EXPECT_TRUE(std::isnan(compressor->traits().gain) && std::isnan(compressor->traits().omega));
  Message message;
  EXPECT_THROW(compressor->compress(Vector{static_cast<real>(1e9), 0, 0}, key(1), message),
               RunFailure);
}

// Seven points, h = 0.5: with nothing known 0.75 is 0.5 or 1, and 2 is out of reach. Near 100 it is
// 199 h whose residue travels, 199 mod 7 = 3; a receiver that believes itself 3 h lower still finds
// it, one that is 4 h lower takes the wrong one, 7 h away.
TEST(Lattice, ByHand) {
  const auto compressor = make_compressor("lattice", 1, "step = 0.5\nbits = 3");
  EXPECT_EQ(values_of(*compressor, {static_cast<real>(0.75)}, 0), (std::set<double>{0.5, 1}));
  EXPECT_EQ(compressor->layout().most_bits(), 3U);
  EXPECT_DOUBLE_EQ(compressor->traits().reach, 1.5);
  Message message;
  EXPECT_THROW(compressor->compress(Vector{2}, key(1), message), RunFailure);
  const Vector reference{100};
  compressor->reference_model(reference);
  compressor->compress(Vector{static_cast<real>(99.5)}, key(1), message);
  EXPECT_EQ(message.level[0], 3);
  const auto decoded = [&](double known) {
    const Vector there{static_cast<real>(known)};
    compressor->reference_model(there);
    return testing::dense(compressor->expand(message), 1)[0];
  };
  EXPECT_EQ(decoded(100), 99.5);
  EXPECT_EQ(decoded(98), 99.5);
  EXPECT_EQ(decoded(101), 99.5);
  EXPECT_EQ(decoded(97.5), 96);
}

// The error does not depend on the size of the vector, only on h: h^2 / 4 at most, without bias.
TEST(Lattice, TheErrorIsThatOfTheStep) {
  const auto compressor = make_compressor("lattice", 1, "step = 0.25\nbits = 8");
  const Vector z{static_cast<real>(1000.0625)};
  compressor->reference_model(z);
  double mean = 0;
  double square = 0;
  constexpr std::uint32_t rounds = 20000;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const double error = sent(*compressor, z, round)[0] - static_cast<double>(z[0]);
    mean += error / rounds;
    square += error * error / rounds;
  }
  // Up by 3/4 h with probability 1/4, down by 1/4 h otherwise.
  EXPECT_NEAR(square, 3.0 / 16 * 0.0625, 4e-4);
  EXPECT_NEAR(mean, 0, 4 * std::sqrt(3.0 / 16 * 0.0625 / rounds));
}

// 1.5 is as far from 1 as from 2; 3 is 2 or 4.
TEST(Natural, ByHand) {
  const auto compressor = make_compressor("natural", 2);
  const Vector z{static_cast<real>(1.5), -3};
  EXPECT_EQ(values_of(*compressor, z, 0), (std::set<double>{1, 2}));
  EXPECT_EQ(values_of(*compressor, z, 1), (std::set<double>{-4, -2}));
  EXPECT_EQ(compressor->layout().most_bits(), 18U);
  EXPECT_DOUBLE_EQ(compressor->traits().omega, 0.125);
}

// Two of five, times 2.5, rounded to powers of two: 2.5 * 1.125 - 1 and 2.5 * 2.
TEST(Rounding, AddsToOmegaAndGain) {
  const auto both = make_compressor("rand-k", 5, "k = 2", ValueFormat::natural);
  EXPECT_DOUBLE_EQ(both->traits().omega, 1.8125);
  EXPECT_DOUBLE_EQ(both->traits().gain, 5.0);
  EXPECT_EQ(both->layout().most_bits(), 18U);
  const auto top = make_compressor("top-k", 4, "k = 2", ValueFormat::natural);
  EXPECT_DOUBLE_EQ(top->traits().delta, 0.375);
}

// 1 + 2^-8 lies in the middle between two numbers of bfloat16; a 2^-40 of the largest value is less
// than the smallest step of binary16.
TEST(Rounding, GoesToNeighbours) {
  Rounding rounding;
  std::set<real> found;
  std::set<real> small;
  for (std::uint32_t round = 0; round < 100; ++round) {
    Vector v{static_cast<real>(1 + 0x1p-8)};
    rounding(ValueFormat::bfloat16, key(round), v);
    found.insert(v[0]);
    Vector w{1, static_cast<real>(0x1p-40)};
    rounding(ValueFormat::float16, key(round), w);
    EXPECT_EQ(w[0], real{1});
    small.insert(w[1]);
  }
  EXPECT_EQ(found, (std::set<real>{1, static_cast<real>(1 + 0x1p-7)}));
  EXPECT_EQ(small, (std::set<real>{0, static_cast<real>(0x1p-39)}));
}

}  // namespace trilemma::quantisers_test
