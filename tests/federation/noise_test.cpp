// The noise that reaches the server (spec algorithms.md 6.6): with x and s frozen and zero
// gradients the variance per coordinate of v is sigma^2/n, with rand-k (d/k) sigma^2/n; and E[v |
// past] = grad f.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::noise_test {

using testing::Fixture;

constexpr std::size_t d = 40;
constexpr std::size_t clients = 5;
constexpr double sigma = 0.3;

// E v_j = 0 and E v_j^2 within five standard errors; fails with probability 1.2e-6.
void expect_variance(const Fixture::Options& options, double expected) {
  testing::GivenEstimator zero(std::vector<Vector>(clients, Vector(d, real{0})));
  Fixture fixture(zero, clients, d, options);
  testing::Sample value;
  testing::Sample square;
  for (std::uint32_t round = 0; round < 5000; ++round)
    for (const double v : fixture.direction(round, Vector(d, real{0}))) {
      value.add(v);
      square.add(v * v);
    }
  testing::expect_mean(value, 0.0);
  testing::expect_mean(square, expected);
}

TEST(Noise, VarianceWithoutCompression) {
  expect_variance({.sigma = sigma}, sigma * sigma / clients);
}

TEST(Noise, VarianceUnderRandK) {
  for (const int k : {4, 20})
    expect_variance(
        {.compressor = "rand-k", .compressor_settings = "k = " + std::to_string(k), .sigma = sigma},
        d / static_cast<double>(k) * sigma * sigma / clients);
}

TEST(Noise, NoNoiseNoVariance) { expect_variance({.sigma = 0}, 0.0); }

// The shifts have a past of their own (six rounds); the last round is drawn again and again. Five
// standard errors in 40 coordinates: fails with probability 2.4e-5.
TEST(Noise, DirectionIsUnbiasedGivenThePast) {
  std::vector<Vector> gradients;
  for (std::size_t c = 0; c < clients; ++c) gradients.push_back(testing::random_vector(d, c));
  testing::GivenEstimator given(gradients);
  const Fixture::Options options{.compressor = "rand-k",
                                 .compressor_settings = "k = 4",
                                 .sigma = sigma,
                                 .memory = "shift",
                                 .memory_step = 0.1};
  std::vector<testing::Sample> coordinate(d);
  const Vector x(d, real{0});
  for (std::uint32_t trial = 0; trial < 4000; ++trial) {
    Fixture fixture(given, clients, d, options);
    for (std::uint32_t round = 0; round < 6; ++round) fixture.direction(round, x);
    const auto v = fixture.direction(1000 + trial, x);
    for (std::size_t j = 0; j < d; ++j) coordinate[j].add(v[j]);
  }
  for (std::size_t j = 0; j < d; ++j) {
    double mean = 0;
    for (const auto& g : gradients) mean += static_cast<double>(g[j]) / clients;
    testing::expect_mean(coordinate[j], mean, 1e-5);
  }
}

// The same with real minibatches of two clients: E v = grad f, regulariser included.
TEST(Noise, DirectionOfMinibatchesIsTheGradientOfTheObjective) {
  const auto on = testing::make_case("logistic", 2, 12, 6, 4);
  const auto sampler = testing::make_sampler("poisson");
  const auto sgd = testing::make_estimator("sgd", on, *sampler, {.batch = 4, .threshold = 1e9});
  const Vector x = testing::random_vector(6, 5, 0.5);
  Fixture fixture(*sgd, 2, 6,
                  {.compressor = "rand-k", .compressor_settings = "k = 2", .sigma = 0.1});
  std::vector<testing::Sample> coordinate(6);
  for (std::uint32_t round = 0; round < 20'000; ++round) {
    const auto v = fixture.direction(round, x);
    for (std::size_t j = 0; j < 6; ++j) coordinate[j].add(v[j]);
  }
  const auto first = testing::mean_gradient(*on.problem, on.shards[0], x, 1e9);
  const auto second = testing::mean_gradient(*on.problem, on.shards[1], x, 1e9);
  const auto slope = testing::regulariser_gradient(*on.problem, x);
  for (std::size_t j = 0; j < 6; ++j)
    testing::expect_mean(coordinate[j], (first[j] + second[j]) / 2 + slope[j], 1e-5);
}

}  // namespace trilemma::noise_test
