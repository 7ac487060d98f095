// Shifts as the messages show them (spec algorithms.md 6.2 and 6.6).

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::shift_test {

using testing::Fixture;

constexpr std::size_t d = 40;

// gamma = 1, identity: s_i^{t+1} = g_i^t, so the message of round t+1 is g^{t+1} - g^t.
TEST(Shift, GammaOneSendsDifferencesOfGradients) {
  testing::GivenEstimator given({testing::random_vector(d, 0), testing::random_vector(d, 1)});
  Fixture fixture(given, 2, d, {.memory = "shift", .memory_step = 1});
  const Vector x(d, real{0});
  std::vector<Vector> before(2, Vector(d, real{0}));
  for (std::uint32_t round = 0; round < 5; ++round) {
    const auto sent = fixture.decoded(round, fixture.send(round, x));
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t j = 0; j < d; ++j)
        EXPECT_NEAR(sent[c][j],
                    static_cast<double>(given.gradient[c][j]) - static_cast<double>(before[c][j]),
                    8 * testing::rounding);
    before = given.gradient;
    given.gradient = {testing::random_vector(d, 10 + round), testing::random_vector(d, 20 + round)};
  }
}

// One client by hand in two rounds: v = s + C(g - s), then s += gamma C(g - s).
TEST(Shift, TwoRoundsByHand) {
  testing::GivenEstimator given({Vector{4, -8}});
  Fixture fixture(given, 1, 2, {.memory = "shift", .memory_step = 0.25});
  const Vector x(2, real{0});
  EXPECT_EQ(fixture.direction(0, x), (std::vector<double>{4, -8}));  // s becomes (1, -2)
  given.gradient = {Vector{5, 0}};
  EXPECT_EQ(fixture.decoded(1, fixture.send(1, x)), (std::vector<std::vector<double>>{{4, 2}}));
}

// x frozen, gradients exact, no noise, rand-k: E||g - s^{t+1}||^2 = (1 - 2g + g^2 (1+w)) ||g -
// s^t||^2 with equality; over three rounds the third power. The shift is gamma times the sum of the
// messages. Five standard errors.
TEST(Shift, ContractsByTheExactFactor) {
  const Vector g = testing::random_vector(d, 3);
  double square = 0;
  for (const double v : g) square += v * v;
  testing::GivenEstimator given({g});
  const Vector x(d, real{0});
  const double omega = d / 4.0 - 1;
  for (const double gamma : {theory_shift_step(omega), 1 / (1 + omega), 0.02}) {
    const double factor = 1 - 2 * gamma + gamma * gamma * (1 + omega);
    testing::Sample left;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
      Fixture fixture(given, 1, d,
                      {.compressor = "rand-k",
                       .compressor_settings = "k = 4",
                       .memory = "shift",
                       .memory_step = gamma,
                       .seed = seed});
      std::vector<double> shift(d, 0.0);
      for (std::uint32_t round = 0; round < 3; ++round) {
        const auto sent = fixture.decoded(round, fixture.send(round, x))[0];
        for (std::size_t j = 0; j < d; ++j) shift[j] += gamma * sent[j];
      }
      left.add(testing::distance_squared(testing::as_double(g), shift));
    }
    testing::expect_mean(left, std::pow(factor, 3) * square, 1e-5 * square);
  }
}

// Shifts learn the gradients: without noise and with x frozen v becomes exact, what plain
// compression never does.
TEST(Shift, MakesTheDirectionExactInTheLimit) {
  std::vector<Vector> gradients{testing::random_vector(d, 1), testing::random_vector(d, 2)};
  testing::GivenEstimator given(gradients);
  Fixture fixture(given, 2, d,
                  {.compressor = "rand-k",
                   .compressor_settings = "k = 10",
                   .memory = "shift",
                   .memory_step = 0.25});
  const Vector x(d, real{0});
  std::vector<double> v;
  for (std::uint32_t round = 0; round < 400; ++round) v = fixture.direction(round, x);
  for (std::size_t j = 0; j < d; ++j)
    EXPECT_NEAR(v[j],
                (static_cast<double>(gradients[0][j]) + static_cast<double>(gradients[1][j])) / 2,
                100 * testing::rounding);
}

}  // namespace trilemma::shift_test
