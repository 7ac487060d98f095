// What every row of problems() must keep (src/problem/problem.hpp): gradients are derivatives,
// norms and scaled factors belong to them, sums are sums. `images` is the network on bytes of which
// most are 0, `median` the example of tests/examples.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::problems_test {

constexpr std::size_t records = 30;

const std::vector<std::string> cases{"logistic", "dense-logistic", "network", "images", "deep",
                                     "softmax",  "linear",         "cnn",     "layers", "sequences",
                                     "mean",     "median",         "plugin"};

TEST(Problems, EveryRowIsTestedHere) {
  for (const auto& row : problems())
    EXPECT_NE(std::find(cases.begin(), cases.end(), row.name), cases.end())
        << row.name << ": add records for it to tests/support/tiny_data.cpp";
}

class EveryProblem : public ::testing::TestWithParam<std::string> {
 protected:
  testing::Case case_ = testing::make_case(GetParam(), 1, records, 12, 21);
  Problem& problem_ = *case_.problem;
  const Dataset& data_ = case_.shards[0];
  Vector x_ = testing::random_vector(problem_.dimension(), 22, 0.5);

  double objective(ConstView x) {
    return full_sum(problem_, data_, x, {}) / records + problem_.regulariser(x);
  }
};

TEST_P(EveryProblem, SaysWhetherItGivesProbabilities) {
  EXPECT_EQ(problem_.gives_probabilities(), problem_.as_classifier() != nullptr);
}

// spec 1.6: central differences, step 1e-5 in double, relative error below 1e-6. In the float build
// the model itself is rounded to 6e-8, so the step is 1e-2 and the limit 2e-3; with kinks (ReLU,
// pooling), which a long step crosses, 1e-3 and 1e-2.
TEST_P(EveryProblem, GradientIsTheDerivativeOfTheObjective) {
  const bool has_many_kinks = GetParam() == "layers";
  const bool has_kinks = has_many_kinks || GetParam() == "cnn";
  const bool is_wide = testing::wide && GetParam() != "plugin";  // whose numbers are floats
  const double step = is_wide ? 1e-5 : has_kinks ? 1e-3 : 1e-2;
  const double limit = is_wide ? 1e-6 : has_many_kinks ? 3e-2 : has_kinks ? 1e-2 : 2e-3;
  std::vector<double> gradient(x_.size(), 0.0);
  full_sum(problem_, data_, x_, gradient);
  Vector slope(x_.size(), real{0});
  problem_.add_regulariser_gradient(x_, slope);
  double largest = 0;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    gradient[j] = gradient[j] / records + static_cast<double>(slope[j]);
    largest = std::max(largest, std::abs(gradient[j]));
  }
  Stream stream({1, Purpose::data, 0, 0});
  for (int trial = 0; trial < 25; ++trial) {
    const std::size_t j = stream.below(static_cast<std::uint32_t>(x_.size()));
    Vector up = x_;
    Vector down = x_;
    up[j] += static_cast<real>(step);
    down[j] -= static_cast<real>(step);
    const double difference = (objective(up) - objective(down)) /
                              (static_cast<double>(up[j]) - static_cast<double>(down[j]));
    // Coordinates that are next to nothing are compared with the largest.
    const double size = std::max(std::abs(gradient[j]), 0.01 * largest);
    EXPECT_LT(std::abs(difference - gradient[j]) / size, limit) << j;
  }
}

TEST_P(EveryProblem, NormsFromFactorsAreNormsOfExplicitGradients) {
  const auto rows = testing::all_rows(records);
  Batch batch;
  Vector factors(records * problem_.factors());
  std::vector<double> norm(records);
  problem_.load(data_, rows, batch);
  problem_.linearise(batch, x_, factors, false);
  problem_.norms(batch, factors, norm);
  for (const std::uint32_t row : rows) {
    double square = 0;
    for (const double g : testing::record_gradient(problem_, data_, row, x_, 1e30)) square += g * g;
    EXPECT_NEAR(norm[row], std::sqrt(square), 50 * testing::rounding * std::sqrt(square)) << row;
  }
}

TEST_P(EveryProblem, ScaledFactorsStandForTheScaledGradient) {
  const std::uint32_t row = 4;
  Batch batch;
  Vector factors(problem_.factors());
  problem_.load(data_, {&row, 1}, batch);
  problem_.linearise(batch, x_, factors, false);
  problem_.scale(factors, 0.125);  // exact
  Vector sum(x_.size(), real{0});
  problem_.accumulate(batch, factors, 1.0, sum);
  std::vector<double> norm(1);
  problem_.norms(batch, factors, norm);
  const auto whole = testing::record_gradient(problem_, data_, row, x_, 1e30);
  double square = 0;
  for (std::size_t j = 0; j < sum.size(); ++j) {
    EXPECT_NEAR(sum[j], 0.125 * whole[j], 4 * testing::rounding * std::abs(whole[j]));
    square += std::pow(0.125 * whole[j], 2);
  }
  // The factors that are left as they are (activations) must not count as if they were scaled.
  EXPECT_NEAR(norm[0], std::sqrt(square), 50 * testing::rounding * std::sqrt(square));
}

TEST_P(EveryProblem, SumsAreWeightedSumsOfSingleGradients) {
  const std::vector<std::uint32_t> rows{5, 0, 5, 29, 13};
  Batch batch;
  Vector factors(rows.size() * problem_.factors());
  Vector sum(x_.size(), real{2});
  problem_.load(data_, rows, batch);
  problem_.linearise(batch, x_, factors, false);
  problem_.accumulate(batch, factors, -0.25, sum);
  std::vector<double> expected(x_.size(), 2.0);
  for (const std::uint32_t row : rows) {
    const auto one = testing::record_gradient(problem_, data_, row, x_, 1e30);
    for (std::size_t j = 0; j < one.size(); ++j) expected[j] -= 0.25 * one[j];
  }
  for (std::size_t j = 0; j < sum.size(); ++j)
    EXPECT_NEAR(sum[j], expected[j], 50 * testing::rounding);
}

// Few coordinates of many, which may be summed in another order.
TEST_P(EveryProblem, SumsAtCoordinatesAreThoseOfTheWholeSum) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 77; ++i) rows.push_back(i * i % records);
  std::vector<std::uint32_t> at;
  for (std::uint32_t j = 1; j < x_.size(); j += j % 11 == 0 ? 1 : 7) at.push_back(j);
  Batch batch;
  Vector factors(rows.size() * problem_.factors());
  problem_.load(data_, rows, batch);
  problem_.linearise(batch, x_, factors, false);
  Vector whole(x_.size(), real{2});
  Vector some = whole;
  problem_.accumulate(batch, factors, -0.25, whole);
  problem_.accumulate_at(batch, factors, -0.25, at, some);
  for (const std::uint32_t j : at) EXPECT_NEAR(some[j], whole[j], 300 * testing::rounding) << j;
}

TEST_P(EveryProblem, AnEmptyBatchAddsNothing) {
  Batch batch;
  Vector sum(x_.size(), real{3});
  problem_.load(data_, {}, batch);
  EXPECT_EQ(problem_.linearise(batch, x_, {}, true), 0.0);
  problem_.accumulate(batch, {}, 1.0, sum);
  const std::vector<std::uint32_t> at{0, 2};
  problem_.accumulate_at(batch, {}, 1.0, at, sum);
  EXPECT_EQ(sum, Vector(x_.size(), real{3}));
  EXPECT_EQ(problem_.correct(batch, x_), 0U);
}

TEST_P(EveryProblem, LossIsTheSameWithAndWithoutItsRequest) {
  const auto rows = testing::all_rows(records);
  Batch batch;
  Vector with(records * problem_.factors());
  Vector without = with;
  problem_.load(data_, rows, batch);
  EXPECT_GT(problem_.linearise(batch, x_, with, true), 0.0);
  EXPECT_EQ(problem_.linearise(batch, x_, without, false), 0.0);
  EXPECT_EQ(with, without);
}

// More records than one block of 512: the sum over all must be the sum of the single ones, and adds
// to what is in `gradient`.
TEST_P(EveryProblem, FullSumIsTheSumOverAllRecords) {
  const testing::Case large = testing::make_case(GetParam(), 1, 1100, 6, 5);
  const Vector x = testing::random_vector(large.problem->dimension(), 6, 0.5);
  std::vector<double> gradient(x.size(), 1.0);
  // The numbers of a plugin are floats in either build.
  const double rounding = GetParam() == "plugin"
                              ? static_cast<double>(std::numeric_limits<float>::epsilon())
                              : testing::rounding;
  const double loss = full_sum(*large.problem, large.shards[0], x, gradient);
  std::vector<double> expected(x.size(), 1.0);
  double expected_loss = 0;
  Batch batch;
  Vector factors(large.problem->factors());
  for (std::uint32_t row = 0; row < 1100; ++row) {
    const auto one = testing::record_gradient(*large.problem, large.shards[0], row, x, 1e30);
    for (std::size_t j = 0; j < one.size(); ++j) expected[j] += one[j];
    large.problem->load(large.shards[0], {&row, 1}, batch);
    expected_loss += large.problem->linearise(batch, x, factors, true);
  }
  EXPECT_NEAR(loss, expected_loss, 100 * rounding * expected_loss);
  for (std::size_t j = 0; j < x.size(); ++j)
    EXPECT_NEAR(gradient[j], expected[j], 100 * rounding * (30 + std::abs(expected[j]))) << j;
  EXPECT_EQ(full_sum(*large.problem, large.shards[0], x, {}), loss);
}

INSTANTIATE_TEST_SUITE_P(Problems, EveryProblem, ::testing::ValuesIn(cases), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
});

}  // namespace trilemma::problems_test
