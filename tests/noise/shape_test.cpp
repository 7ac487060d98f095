// The law of the noise on the wire beyond its moments: Kolmogorov-Smirnov, Anderson-Darling, counts
// in the tails, and the pairs of Box and Muller.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "tests/support/noise_samples.hpp"

namespace trilemma::shape_test {

using testing::Path;
using testing::WireRun;

class NoiseShape : public ::testing::TestWithParam<Path> {
 protected:
  const std::vector<double> z = testing::pooled(testing::sample(GetParam()));
};

TEST_P(NoiseShape, KolmogorovSmirnov) {
  std::vector<double> u;
  for (const double value : z) u.push_back(testing::normal_law(value));
  testing::expect_uniform(u, "normal law");
}

TEST_P(NoiseShape, AndersonDarling) { testing::expect_normal_tails(z, "normal law"); }

INSTANTIATE_TEST_SUITE_P(Noise, NoiseShape, ::testing::Values(Path::whole, Path::sparse),
                         [](const auto& path) { return testing::name_of(path.param); });

// The four numbers of a block of random words come by four ways: cosine and sine of two pairs.
TEST(NoisePairs, EveryPlaceInABlockIsNormal) {
  std::array<std::vector<double>, 4> place;
  for (const auto& sent : testing::sample(Path::whole))
    for (std::size_t j = 0; j < sent.z.size(); ++j)
      place[j % 4].push_back(testing::normal_law(sent.z[j]));
  for (std::size_t i = 0; i < 4; ++i)
    testing::expect_uniform(place[i], "place " + std::to_string(i));
}

// Two independent normal numbers: exp(-R^2/2) and the angle are uniform.
TEST(NoisePairs, RadiusAndAngleHaveTheirLaw) {
  std::vector<double> radius;
  std::vector<double> turn;
  for (const auto& sent : testing::sample(Path::whole))
    for (std::size_t j = 0; j < sent.z.size(); j += 2) {
      radius.push_back(std::exp(-0.5 * (sent.z[j] * sent.z[j] + sent.z[j + 1] * sent.z[j + 1])));
      turn.push_back(0.5 + std::atan2(sent.z[j + 1], sent.z[j]) / (2 * std::numbers::pi));
    }
  testing::expect_uniform(radius, "radius");
  testing::expect_uniform(turn, "angle");
}

// 2^26 values, so that 38 are expected beyond five sigma.
TEST(NoiseTails, CountsBeyondEverySigma) {
  constexpr std::array<double, 7> limits{1, 2, 3, 3.5, 4, 4.5, 5};
  std::array<double, limits.size()> above{};
  std::array<double, limits.size()> below{};
  double count = 0;
  double largest = 0;
  WireRun run({"clients=16", "data.features=8192"});
  for (std::uint32_t round = 0; round < 512; ++round)
    for (const auto& sent : run.noise(round))
      for (const double z : sent.z) {
        ++count;
        for (std::size_t i = 0; i < limits.size() && std::abs(z) > limits[i]; ++i)
          ++(z > 0 ? above : below)[i];
        largest = std::max(largest, std::abs(z));
      }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const double p = testing::normal_law(-limits[i]);
    const std::string what = "beyond " + std::to_string(limits[i]);
    testing::expect_count(above[i], count, p, what + ", above");
    testing::expect_count(below[i], count, p, what + ", below");
    testing::expect_count(above[i] + below[i], count, 2 * p, what);
  }
  EXPECT_LT(largest, 6.8);
}

// The 32 bits of these pairs, found by a search, are all zero: u < 2^-32, so the radius is at least
// sqrt(64 ln 2) = 6.660, and 128 more bits say where. A generator of another kind needs a new
// search.
TEST(NoiseTails, TheRadiusGoesOnWhereThe32BitsEnd) {
  struct Place {
    std::uint32_t round;
    std::size_t client, coordinate;
  };
  const double least = std::sqrt(64 * std::numbers::ln2);
  std::set<double> radii;
  WireRun run;
  for (const Place at : {Place{1'410'405, 4, 232}, {1'731'435, 7, 4}, {2'432'532, 4, 306}}) {
    const auto z = run.noise(at.round)[at.client].z;
    const double radius = std::hypot(z[at.coordinate], z[at.coordinate + 1]);
    EXPECT_GT(radius, least - 1e-5);
    EXPECT_LT(radius, 8);
    radii.insert(std::round(radius * 1e4));
  }
  EXPECT_EQ(radii.size(), 3u) << "radii that end at one value are cut off";
}

}  // namespace trilemma::shape_test
