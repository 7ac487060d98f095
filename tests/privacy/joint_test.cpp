// The integer mechanisms (src/privacy/joint.hpp): words, their sums, and the error of an estimate
// (joint mechanisms, sections 2 and 3 of the specification).

#include "privacy/joint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/tiny_data.hpp"

namespace trilemma::joint_test {

using accounting::DistributedNoise;
using accounting::DistributedTask;
using accounting::IntegerLaw;

constexpr std::size_t dimension = 64;
constexpr double clients = 20;

class Through final : public Bound {
 public:
  Bounds what() const override { return Bounds::client; }
  std::string description() const override { return "test"; }
  double threshold() const override { return 1; }
};

DistributedTask task(IntegerLaw law, int bits) {
  return {.law = law,
          .clients = clients,
          .dimension = dimension,
          .norm = 1,
          .bits = bits,
          .wrap = 6.5,
          .multiplier = 4};
}

Vector unit_vector(std::uint32_t seed) {
  Vector u = testing::random_vector(dimension, seed);
  clip(u, 1);
  return u;
}

// The sum of the words of all clients in round `round`, as the server reads it.
std::vector<double> sum_of_words(Mechanism& mechanism, const WordSum& words, std::uint32_t round) {
  std::vector<double> sum(dimension);
  for (std::uint32_t client = 0; client < clients; ++client) {
    Vector u = unit_vector(client + 1), out;
    mechanism.release(Through().apply(u), Support::all(), {5, Purpose::noise, client, round}, out);
    const double half = std::ldexp(1.0, static_cast<int>(words.bits) - 1);
    for (std::size_t j = 0; j < dimension; ++j) {
      const auto word = static_cast<double>(out[j]);
      EXPECT_TRUE(word == std::floor(word) && word >= -half && word < half) << word;
      sum[j] += word;
    }
  }
  words.restore(sum, static_cast<std::size_t>(clients));
  return sum;
}

TEST(WordSum, IsReadModuloThePowerOfTwo) {
  std::vector<double> sum{0, 7, 8, 9, -8, -9, 16, 23};
  WordSum{.bits = 4, .scale = 2}.restore(sum, 3);
  EXPECT_EQ(sum, (std::vector<double>{0, 3.5, -4, -3.5, -4, 3.5, 0, 3.5}));
  sum = {1.5};
  WordSum{}.restore(sum, 1);
  EXPECT_EQ(sum[0], 1.5);
  // Counts of 3 clients with one trial each, as 0 or 1 minus 1: the words -3 to 0 are 2 bits.
  sum = {-3, -2, -1, 0, 1};
  WordSum{.bits = 2, .scale = 1, .centre = -0.5}.restore(sum, 3);
  EXPECT_EQ(sum, (std::vector<double>{-1.5, -0.5, 0.5, 1.5, -1.5}));
}

// With c = 1, theta = 1/4: probabilities 3/4, 1/2, 3/8 and, clipped, 1/4.
TEST(RandomTrials, CountsHaveTheirBinomialLaw) {
  constexpr int trials = 3;
  constexpr std::uint32_t draws = 20'000;
  const auto mechanism = make_random_trials(trials, 0.25, 1);
  EXPECT_DOUBLE_EQ(mechanism->sigma(), 1 / (2 * 0.25 * std::sqrt(3.0)));
  const Vector values{1, 0, -0.5F, -7};
  const double probability[] = {0.75, 0.5, 0.375, 0.25};
  std::vector<std::array<double, trials + 1>> seen(values.size());
  Vector released;
  for (std::uint32_t client = 0; client < draws; ++client) {
    Vector u = values;
    const Released out = mechanism->release(Through().apply(u), Support::all(),
                                            {5, Purpose::noise, client, 0}, released);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double count = static_cast<double>(out.values()[j]) + 2;  // minus ceil(3 / 2)
      ASSERT_TRUE(count == 0 || count == 1 || count == 2 || count == 3) << count;
      ++seen[j][static_cast<std::size_t>(count)];
    }
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double p = probability[j], q = 1 - p;
    const double law[] = {q * q * q, 3 * p * q * q, 3 * p * p * q, p * p * p};
    double chi = 0;
    for (std::size_t k = 0; k <= trials; ++k)
      chi += std::pow(seen[j][k] - draws * law[k], 2) / (draws * law[k]);
    EXPECT_LT(chi, 30.7) << j;  // level 1e-6 of chi-square with 3 degrees of freedom
  }
}

class IntegerMechanisms : public ::testing::TestWithParam<IntegerLaw> {};

TEST_P(IntegerMechanisms, SumsAreUnbiasedWithTheNoiseThatIsAccounted) {
  for (const int bits : {10, 16}) {
    const DistributedNoise noise = accounting::distributed_noise(task(GetParam(), bits));
    const auto mechanism = make_integer_mechanism(GetParam(), noise, static_cast<unsigned>(bits));
    const WordSum words{static_cast<unsigned>(bits), noise.scale};
    std::vector<double> expected(dimension);
    for (std::uint32_t client = 0; client < clients; ++client) {
      const Vector u = unit_vector(client + 1);
      for (std::size_t j = 0; j < dimension; ++j) expected[j] += static_cast<double>(u[j]);
    }
    constexpr std::uint32_t rounds = 400;
    double squares = 0, bias = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const auto found = sum_of_words(*mechanism, words, round);
      for (std::size_t j = 0; j < dimension; ++j) {
        squares += (found[j] - expected[j]) * (found[j] - expected[j]);
        bias += found[j] - expected[j];
      }
    }
    constexpr double draws = rounds * dimension;
    // A value of no special place on the grid is rounded with variance 1/6 on average.
    const double variance = (noise.sigma * noise.sigma + clients / 6) / (noise.scale * noise.scale);
    EXPECT_NEAR(squares / draws, variance, variance * (0.02 + 4 * std::sqrt(2 / draws))) << bits;
    EXPECT_NEAR(bias / draws, 0, 4 * std::sqrt(variance / draws)) << bits;
  }
}

// Words of few bits, most of which wrap around, are those of many bits modulo 2^b.
TEST_P(IntegerMechanisms, ReduceModuloThePowerOfTwo) {
  const DistributedNoise noise = accounting::distributed_noise(task(GetParam(), 16));
  const auto few = make_integer_mechanism(GetParam(), noise, 6);
  const auto many = make_integer_mechanism(GetParam(), noise, 24);
  std::size_t wrapped = 0;
  for (std::uint32_t client = 0; client < clients; ++client) {
    const Key key{5, Purpose::noise, client, 0};
    Vector u = unit_vector(client + 1), short_words, long_words;
    few->release(Through().apply(u), Support::all(), key, short_words);
    u = unit_vector(client + 1);
    many->release(Through().apply(u), Support::all(), key, long_words);
    for (std::size_t j = 0; j < dimension; ++j) {
      const auto difference = static_cast<long>(long_words[j]) - static_cast<long>(short_words[j]);
      ASSERT_EQ(difference % 64, 0) << difference;
      wrapped += difference != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(wrapped, dimension);
}

TEST_P(IntegerMechanisms, ShareTheNoiseOfTheSum) {
  const DistributedNoise noise = accounting::distributed_noise(task(GetParam(), 16));
  const auto mechanism = make_integer_mechanism(GetParam(), noise, 16);
  EXPECT_DOUBLE_EQ(mechanism->sigma() * noise.scale * std::sqrt(clients), noise.sigma);
  EXPECT_LE(noise.shift_mu * std::sqrt(static_cast<double>(noise.bound_squared)), 0.25);
}

INSTANTIATE_TEST_SUITE_P(Laws, IntegerMechanisms,
                         ::testing::Values(IntegerLaw::discrete_gaussian, IntegerLaw::skellam),
                         [](const auto& info) {
                           return std::string(accounting::name(info.param));
                         });

TEST(Rotations, FlatnessIsThatOfTheSmallerBlock) {
  EXPECT_EQ(rotation_flatness(64), 1);
  EXPECT_EQ(rotation_flatness(100), 100.0 / 64);
  EXPECT_EQ(rotation_flatness(1), 1);
}

}  // namespace trilemma::joint_test
