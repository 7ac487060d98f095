// What the noise does to the model, and what it is added to: variance of the update at a frozen
// model, bound of what is perturbed, and sizes of the minibatches, all of whole experiments.

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/noise_samples.hpp"

namespace trilemma::end_to_end_test {

using testing::Moments;
using testing::WireRun;

constexpr std::size_t dimension = 32;
constexpr double clients = 5;

// Variance (d/k) sigma^2/n in every coordinate, with gain d/k = 1 where all are sent. A sum of n
// normal numbers times gain, each with probability 1/gain, has E v^4 = 3 (gain + n - 1)/n in units
// of its squared variance.
void expect_update(std::vector<std::string> overrides, double gain) {
  overrides.insert(overrides.end(), {"clients=5", "data.features=32"});
  WireRun run(overrides);
  const double unit = WireRun::sigma * std::sqrt(gain / clients);
  const double fourth = 3 * (gain + clients - 1) / clients;
  Moments all;
  std::array<Moments, dimension> coordinate;
  for (std::uint32_t round = 0; round < 16'384; ++round) {
    const auto direction = run.update(round);
    for (std::size_t j = 0; j < dimension; ++j) {
      all.add(direction[j] / unit);
      coordinate[j].add(direction[j] / unit);
    }
  }
  testing::expect_location(all, overrides[0]);
  testing::expect_variance(all, overrides[0], fourth);
  for (const auto& found : coordinate) {
    testing::expect_location(found, overrides[0] + ", one coordinate");
    testing::expect_variance(found, overrides[0] + ", one coordinate", fourth);
  }
}

TEST(NoiseEndToEnd, UpdateWithoutCompression) { expect_update({"method=ldp-sgd"}, 1); }

TEST(NoiseEndToEnd, UpdateUnderRandK) {
  expect_update({"method=cdp-sgd", "compressor.k=4"}, 8);
  expect_update({"method=soteriafl-sgd", "compressor.k=16", "shift.step=0"}, 2);
}

TEST(NoiseEndToEnd, TheFirstUpdateIsNoisyToo) {
  WireRun run({"data.features=65536"});
  Moments first;
  for (const double v : run.update(0)) first.add(v / (WireRun::sigma / std::sqrt(8)));
  testing::expect_location(first, "first update");
  testing::expect_variance(first, "first update");
}

// Number of records behind a message without noise, whose gradients are -1/2 each.
double size_of(const testing::SentNoise& sent) {
  return -2.0 * WireRun::batch * sent.z[0] * WireRun::sigma;
}

TEST(NoiseMinibatch, SizesAreBinomial) {
  constexpr double rounds = 16'384;
  constexpr double m = WireRun::records_each;
  constexpr double q = WireRun::batch / m;
  WireRun run({"clients=1", "data.features=1", "privacy.sigma=0"}, 1, 1);
  std::array<double, WireRun::records_each + 1> found{};
  double total = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const double size = size_of(run.noise(round).front());
    ASSERT_NEAR(size, static_cast<double>(run.records()), 1e-5);
    ++found.at(run.records());
    total += size;
  }
  const boost::math::binomial law(m, q);
  EXPECT_GT(found[0], 0);
  for (std::size_t size = 0; size < found.size(); ++size)
    testing::expect_count(found[size], rounds, pdf(law, static_cast<double>(size)),
                          "size " + std::to_string(size));
  testing::expect_count(std::round(total), m * rounds, q, "records drawn");
}

// Who saw a message without noise would know that the minibatch was empty.
TEST(NoiseMinibatch, EmptyOnesGetTheSameNoise) {
  WireRun run({"clients=1", "data.features=64"});
  Moments empty;
  for (std::uint32_t round = 0; round < 16'384; ++round) {
    const auto sent = run.noise(round);
    if (run.records() == 0) empty.add(sent.front().z);
  }
  ASSERT_GT(empty.count, 64 * 50);
  testing::expect_location(empty, "empty minibatches");
  testing::expect_variance(empty, "empty minibatches");
}

double norm(std::span<const double> v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

// Gradients of norm 500 in one direction, so that nothing cancels: a message of s records has norm
// s C/b, or C where the finished vector is clipped.
TEST(NoiseClipping, WholeExperimentsKeepTheBound) {
  constexpr double bound = 0.25;
  for (const bool record : {true, false}) {
    WireRun run({"privacy.sigma=0", "clients=1", "bound.threshold=0.25",
                 record ? "bound.kind=clip-record" : "bound.kind=clip-estimator"},
                1, 1000);
    for (std::uint32_t round = 0; round < 200; ++round) {
      const double length = norm(run.noise(round).front().z) * WireRun::sigma;
      const auto size = static_cast<double>(run.records());
      const double expected = record ? size / WireRun::batch * bound : size > 0 ? bound : 0;
      EXPECT_LE(length, expected * (1 + 1e-6));
      EXPECT_GE(length, expected * (1 - 1e-6));
    }
  }
}

// One record a client, so that a message is one contribution: norm C where the gradient is longer,
// the gradient itself where it is not. C lies in the middle of the lengths.
TEST(NoiseClipping, EveryRecordOfEveryProblemKeepsTheBound) {
  constexpr std::size_t records = 60;
  for (const char* const name : {"logistic", "network", "images", "softmax"}) {
    auto on = testing::make_case(name, records, 1, 9, 1);
    if (name == std::string("logistic"))
      on.problem = testing::make_problem(name, {9, 2}, "lambda = 0.0");
    if (name == std::string("softmax")) on.problem = testing::make_problem(name, {9, 3});
    const auto sampler = testing::make_sampler("poisson");
    const std::size_t d = on.problem->dimension();
    const auto lengths = [&](double threshold, const Vector& x) {
      const auto sgd =
          testing::make_estimator("sgd", on, *sampler, {.batch = 1, .threshold = threshold});
      testing::Fixture fixture(*sgd, records, d, {});
      std::vector<double> all;
      for (const auto& sent : fixture.decoded(0, fixture.send(0, x))) all.push_back(norm(sent));
      return all;
    };
    const Vector x = testing::random_vector(d, 2, 1.0);
    const auto whole = lengths(1e9, x);
    auto sorted = whole;
    std::sort(sorted.begin(), sorted.end());
    const double bound = (sorted[records / 2 - 1] + sorted[records / 2]) / 2;
    const auto clipped = lengths(bound, x);
    ASSERT_LT(sorted.front(), 0.9 * bound) << name;
    ASSERT_GT(sorted.back(), 1.1 * bound) << name;
    for (std::size_t c = 0; c < records; ++c) {
      EXPECT_LE(clipped[c], bound * (1 + 1e-6)) << name << ' ' << c;
      EXPECT_NEAR(clipped[c], std::min(whole[c], bound), 1e-6 * bound) << name << ' ' << c;
    }
  }
}

}  // namespace trilemma::end_to_end_test
