// Noise on the wire is independent of itself elsewhere (coordinates, rounds, clients), of the
// minibatches and of the masks, and nothing of it occurs twice.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tests/support/noise_samples.hpp"

namespace trilemma::independence_test {

using testing::expect_uncorrelated;
using testing::Path;
using testing::SentNoise;
using testing::WireRun;

constexpr std::size_t dimension = 512;
constexpr std::size_t clients = 8;
constexpr std::size_t rounds = 256;

// Messages of 8 clients in 256 rounds, 512 coordinates each.
class NoiseCorrelation : public ::testing::Test {
 protected:
  const std::vector<SentNoise> sample = testing::sample(Path::whole);
  const std::vector<double>& at(std::size_t round, std::size_t client) const {
    return sample[round * clients + client].z;
  }
  static double product(const std::vector<double>& a, const std::vector<double>& b,
                        std::size_t lag = 0) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[(j + lag) % b.size()];
    return sum;
  }
};

TEST_F(NoiseCorrelation, BetweenCoordinates) {
  for (const std::size_t lag : {1U, 2U, 3U, 4U, 64U, 255U}) {
    double sum = 0;
    for (const auto& sent : sample) sum += product(sent.z, sent.z, lag);
    expect_uncorrelated(sum, dimension * clients * rounds, "lag " + std::to_string(lag));
  }
  // Half a turn meets every pair twice.
  constexpr std::size_t half = dimension / 2;
  double sum = 0;
  for (const auto& sent : sample) sum += product(sent.z, sent.z, half) / 2;
  expect_uncorrelated(sum, half * clients * rounds, "half of the coordinates apart");
}

TEST_F(NoiseCorrelation, BetweenRounds) {
  for (const std::size_t lag : {1U, 2U, 64U, 128U}) {
    double sum = 0;
    for (std::size_t round = lag; round < rounds; ++round)
      for (std::size_t c = 0; c < clients; ++c) sum += product(at(round, c), at(round - lag, c));
    expect_uncorrelated(sum, static_cast<double>(dimension * clients * (rounds - lag)),
                        "rounds " + std::to_string(lag) + " apart");
  }
}

TEST_F(NoiseCorrelation, BetweenClients) {
  for (std::size_t a = 0; a < clients; ++a)
    for (std::size_t b = a + 1; b < clients; ++b) {
      double sum = 0;
      for (std::size_t round = 0; round < rounds; ++round)
        sum += product(at(round, a), at(round, b));
      expect_uncorrelated(sum, dimension * rounds,
                          "clients " + std::to_string(a) + " and " + std::to_string(b));
    }
}

// The sent coordinates were not chosen by their noise: sums over them minus their share q of all.
// With m = 1 where sent, (m - q) z has variance q (1 - q), and (m - q) (z^2 - 1) twice that.
TEST_F(NoiseCorrelation, WithTheSentCoordinates) {
  WireRun run(testing::rand_k);
  const auto masks = testing::collect(run, rounds);
  const double q = 64.0 / dimension;
  double linear = 0;
  double square = 0;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    ASSERT_EQ(masks[i].index.size(), 64U);
    for (const double z : sample[i].z) {
      linear -= q * z;
      square -= q * (z * z - 1);
    }
    for (const auto j : masks[i].index) {
      const double z = sample[i].z[j];
      linear += z;
      square += z * z - 1;
    }
  }
  const double count = dimension * clients * rounds * q * (1 - q);
  expect_uncorrelated(linear, count, "sent coordinates");
  expect_uncorrelated(square, 2 * count, "sent coordinates and squares");
}

// A stream of masks read as noise would tie the drawn coordinates to the first radii: both come
// from the same words. Sums of k of the numbers 0 .. d - 1 against sums of k squares.
TEST_F(NoiseCorrelation, WithTheStreamOfMasks) {
  WireRun run(testing::rand_k);
  const auto masks = testing::collect(run, rounds);
  constexpr double k = 64;
  constexpr double d = dimension;
  double sum = 0;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    double place = 0;
    double energy = 0;
    for (const auto j : masks[i].index) place += j - (d - 1) / 2;
    for (std::size_t j = 0; j < 64; ++j) energy += sample[i].z[j] * sample[i].z[j] - 1;
    sum += place * energy;
  }
  const double variance = k * (d * d - 1) / 12 * (d - k) / (d - 1) * 2 * k;
  expect_uncorrelated(sum, variance * clients * rounds, "masks and energy");
}

// A stream of minibatches read as noise would tie the sizes to the first radii: both come from the
// same words.
TEST(NoiseAndMinibatches, SizesTellNothingAboutTheNoise) {
  constexpr std::uint32_t many = 16'384;
  constexpr std::size_t first = 8;
  const double q = static_cast<double>(WireRun::batch) / WireRun::records_each;
  WireRun run({"clients=1", "data.features=16"});
  std::array<double, first> linear{};
  double energy = 0;
  for (std::uint32_t round = 0; round < many; ++round) {
    const auto z = run.noise(round).front().z;
    const double size =
        (static_cast<double>(run.records()) - WireRun::batch) / std::sqrt(WireRun::batch * (1 - q));
    for (std::size_t j = 0; j < first; ++j) {
      linear[j] += size * z[j];
      energy += size * (z[j] * z[j] - 1);
    }
  }
  for (std::size_t j = 0; j < first; ++j)
    expect_uncorrelated(linear[j], many, "size and coordinate " + std::to_string(j));
  expect_uncorrelated(energy, 2.0 * first * many, "size and energy");
}

TEST(NoiseDuplicates, NoVectorOccursTwice) {
  for (const Path path : {Path::whole, Path::sparse}) {
    const auto sample = testing::sample(path);
    std::set<std::vector<double>> different;
    for (const auto& sent : sample) different.insert(sent.z);
    EXPECT_EQ(different.size(), sample.size()) << testing::name_of(path);
  }
}

// Four neighbours at any place of any vector, as the noise of a key would be.
class NoiseBlocks : public ::testing::Test {
 protected:
  using Window = std::array<double, 4>;
  std::vector<Window> windows;

  void add(const std::vector<double>& z) {
    for (std::size_t j = 0; j + 4 <= z.size(); ++j)
      windows.push_back({z[j], z[j + 1], z[j + 2], z[j + 3]});
  }
  static std::vector<double> noise_of(const Key& key) {
    std::vector<double> z(dimension);
    normals(key, 0, z);
    for (double& value : z)
      value = static_cast<double>(static_cast<real>(WireRun::sigma * value)) / WireRun::sigma;
    return z;
  }
  void expect_all_different() {
    std::sort(windows.begin(), windows.end());
    const auto twin = std::adjacent_find(windows.begin(), windows.end());
    EXPECT_EQ(twin, windows.end()) << (*twin)[0] << ' ' << (*twin)[1];
  }
};

TEST_F(NoiseBlocks, NoBlockOccursTwiceInTheNoise) {
  for (const auto& sent : testing::sample(Path::whole)) add(sent.z);
  expect_all_different();
}

TEST_F(NoiseBlocks, NoBlockOccursTwiceUnderAllPurposesAndSeeds) {
  constexpr std::array purposes{Purpose::data,      Purpose::init,  Purpose::participation,
                                Purpose::minibatch, Purpose::mask,  Purpose::coin,
                                Purpose::step_time, Purpose::audit, Purpose::order};
  for (const std::uint64_t seed : {1ULL, 2ULL, 1ULL + (1ULL << 32U)}) {
    WireRun run({"seed=" + std::to_string(seed)});
    for (const auto& sent : testing::collect(run, 16)) {
      add(sent.z);
      // What the next lines compare with is what would be sent.
      ASSERT_EQ(sent.z, noise_of({seed, Purpose::noise, sent.client, sent.round}));
      for (const Purpose purpose : purposes)
        add(noise_of({seed, purpose, sent.client, sent.round}));
    }
  }
  expect_all_different();
}

}  // namespace trilemma::independence_test
