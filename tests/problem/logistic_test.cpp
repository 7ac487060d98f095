// Logistic loss with the non-convex regulariser (src/problem/logistic.cpp; spec algorithms.md 1.6).

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numeric/elementwise.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::logistic_test {

// Rows (2, 0) label +1 and (1, -3) label -1.
Dataset two_records() {
  SparseRows rows;
  rows.columns = 2;
  rows.start = {0, 1, 3};
  rows.column = {0, 0, 1};
  rows.value = {2, 1, -3};
  Dataset data;
  data.rows = rows;
  data.label = {1, -1};
  data.prepare();
  return data;
}

struct Evaluated {
  double loss;
  Vector factors;
};
Evaluated evaluate(Problem& problem, const Dataset& data, const Vector& x) {
  const auto rows = testing::all_rows(data.size());
  Batch batch;
  Evaluated out{0, Vector(rows.size() * problem.factors())};
  problem.load(data, rows, batch);
  out.loss = problem.linearise(batch, x, out.factors, true);
  return out;
}

TEST(Logistic, ByHand) {
  const auto problem = testing::make_problem("logistic", {2, 2});
  EXPECT_EQ(problem->dimension(), 2U);
  const Dataset data = two_records();
  // Margins b a.x at x = (1, 1): +1 * 2 = 2 and -1 * (1 - 3) = 2.
  const Evaluated at = evaluate(*problem, data, {1, 1});
  EXPECT_NEAR(at.loss, 2 * std::log1p(std::exp(-2.0)), 1e-7);
  const double sigma = 1.0 / (1.0 + std::exp(2.0));
  EXPECT_NEAR(at.factors[0], -sigma, testing::rounding);
  EXPECT_NEAR(at.factors[1], sigma, testing::rounding);
  // At 0 every loss is log 2 and the coefficient -b/2.
  const Evaluated zero = evaluate(*problem, data, {0, 0});
  EXPECT_NEAR(zero.loss, 2 * std::log(2.0), 1e-15);
  EXPECT_EQ(zero.factors, (Vector{-0.5, 0.5}));
}

TEST(Logistic, LargeMarginsDoNotOverflow) {
  const auto problem = testing::make_problem("logistic", {2, 2});
  const Dataset data = two_records();
  // Margins 2e4 (right, loss 0) and -1e4 (wrong, loss 1e4).
  const Evaluated at = evaluate(*problem, data, {10000, 0});
  EXPECT_NEAR(at.loss, 1e4, 1e-3);
  EXPECT_NEAR(at.factors[0], 0, 1e-300);
  EXPECT_EQ(at.factors[1], 1);
  const Evaluated far = evaluate(*problem, data, {static_cast<real>(-1e30), 0});
  EXPECT_NEAR(far.loss / 2e30, 1.0, 1e-6);
  EXPECT_TRUE(std::isfinite(far.factors[0]) && std::isfinite(far.factors[1]));
}

// The kernel compared with its plain twin, at every width; infinite where the margin is.
TEST(Logistic, LossesOfMarginsAgreeWithTheLibrary) {
  std::vector<double> margin{0.0, -0.0, 1e-300, 708.0, -708.0, 1e5, -1e5};
  for (int i = -400; i <= 400; ++i) margin.push_back(0.1 * i);
  std::vector<double> loss(margin.size());
  logistic_losses(margin, loss);
  for (std::size_t i = 0; i < margin.size(); ++i) {
    const double expected = std::max(-margin[i], 0.0) + std::log1p(std::exp(-std::abs(margin[i])));
    EXPECT_NEAR(loss[i], expected, 1e-15 * std::max(1.0, expected)) << margin[i];
  }
  const double infinity = std::numeric_limits<double>::infinity();
  logistic_losses(std::vector{-infinity}, std::span(loss).first(1));
  EXPECT_EQ(loss[0], infinity);
}

TEST(Logistic, ADivergedModelGivesNan) {
  const auto problem = testing::make_problem("logistic", {2, 2});
  const Evaluated at =
      evaluate(*problem, two_records(), {std::numeric_limits<real>::quiet_NaN(), 0});
  EXPECT_TRUE(std::isnan(at.loss));
  EXPECT_TRUE(std::isnan(at.factors[0]));
}

// lambda x^2/(1+x^2), derivative 2 lambda x/(1+x^2)^2, largest (9/(8 sqrt 3)) lambda at x^2 = 1/3.
TEST(Logistic, RegulariserByHand) {
  const auto problem = testing::make_problem("logistic", {3, 2}, "lambda = 0.2");
  EXPECT_NEAR(problem->regulariser(Vector{1, -3, 0}), 0.2 * (0.5 + 0.9), 1e-7);
  Vector g{1, 1, 1};
  problem->add_regulariser_gradient(Vector{1, -3, 0}, g);
  EXPECT_NEAR(g[0], 1 + 0.4 / 4, 4 * testing::rounding);
  EXPECT_NEAR(g[1], 1 - 0.4 * 3 / 100, 4 * testing::rounding);
  EXPECT_EQ(g[2], 1);
  Vector top{0, 0, 0};
  const auto at = static_cast<real>(1 / std::sqrt(3.0));
  problem->add_regulariser_gradient(Vector{at, at, at}, top);
  EXPECT_NEAR(top[0], 9.0 / (8.0 * std::sqrt(3.0)) * 0.2, 4 * testing::rounding);
}

TEST(Logistic, CountsWhatItClassifiesRight) {
  const auto problem = testing::make_problem("logistic", {2, 2});
  const Dataset data = two_records();
  const auto rows = testing::all_rows(2);
  Batch batch;
  problem->load(data, rows, batch);
  EXPECT_EQ(problem->correct(batch, Vector{1, 1}), 2U);
  EXPECT_EQ(problem->correct(batch, Vector{-1, 0}), 1U);   // -2: wrong, -1: right
  EXPECT_EQ(problem->correct(batch, Vector{-1, -1}), 0U);  // -2: wrong, 2: wrong
}

struct Pass {
  Vector factors, sum, some;
};

// The weighted sum of gradients on top of x: all of it, and every third coordinate and the last
// one.
Pass sums_of(const Dataset& data, const std::vector<std::uint32_t>& rows, const Vector& x,
             const Vector& factors) {
  const auto problem = testing::make_problem("logistic", {data.features(), 2});
  Batch batch;
  problem->load(data, rows, batch);
  Pass out{factors, x, {}};
  problem->accumulate(batch, factors, 0.3, out.sum);
  std::vector<std::uint32_t> at;
  for (std::uint32_t j = 0; j < x.size(); j += 3) at.push_back(j);
  at.push_back(static_cast<std::uint32_t>(x.size() - 1));
  at.erase(std::unique(at.begin(), at.end()), at.end());
  Vector some = x;
  problem->accumulate_at(batch, factors, 0.3, at, some);
  for (const std::uint32_t j : at) out.some.push_back(some[j]);
  return out;
}

// These of the factors at x.
Pass pass_over(const Dataset& data, const std::vector<std::uint32_t>& rows, const Vector& x) {
  const auto problem = testing::make_problem("logistic", {data.features(), 2});
  Batch batch;
  Vector factors(rows.size());
  problem->load(data, rows, batch);
  problem->linearise(batch, x, factors, false);
  return sums_of(data, rows, x, factors);
}

// The plain twin is the same rows without groups. With many columns there are no bits of rows.
class LogisticGroups : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LogisticGroups, GiveTheSameNumbers) {
  const std::size_t features = GetParam();
  SparseRows rows;
  rows.columns = features;
  Dataset data;
  for (std::uint32_t r = 0; r < 40; ++r) {
    for (std::uint32_t j = 0; j < features; ++j)
      if ((j * 7 + r * r) % 5 < r % 4 && (features < 500 || j % 13 == 0)) rows.column.push_back(j);
    rows.start.push_back(rows.column.size());
    data.label.push_back(r % 3 == 0 ? 1 : -1);
  }
  rows.value.assign(rows.column.size(), static_cast<real>(1 / 1.34856199));
  data.rows = rows;
  data.prepare();
  Dataset plain = data;
  plain.rows = rows;
  ASSERT_TRUE(std::get<SparseRows>(data.rows).are_grouped());
  ASSERT_EQ(std::get<SparseRows>(data.rows).groups.bits.empty(), features == 500);
  Vector x(features);
  for (std::size_t j = 0; j < features; ++j) x[j] = static_cast<real>(std::sin(3.0 * j + 1));
  const std::vector<std::uint32_t> few = {3, 7, 8, 22, 39};
  for (const auto& chosen : {testing::all_rows(data.size()), few, std::vector<std::uint32_t>{7}}) {
    const Pass grouped = pass_over(data, chosen, x);
    const Pass single = pass_over(plain, chosen, x);
    // Scalar products over bits have lanes of their own; sums of given factors do not.
    const double tolerance = features == 500 ? 0 : 40 * testing::rounding;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      EXPECT_NEAR(grouped.factors[i], single.factors[i], tolerance) << i;
    const Pass same = sums_of(plain, chosen, x, grouped.factors);
    EXPECT_EQ(grouped.sum, same.sum);
    EXPECT_EQ(grouped.some, same.some);
  }
}
INSTANTIATE_TEST_SUITE_P(Columns, LogisticGroups, ::testing::Values(19, 128, 300, 500));

TEST(Logistic, RefusesOtherData) {
  const auto problem = testing::make_problem("logistic", {2, 2});
  EXPECT_NO_THROW(problem->check(two_records()));
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::dense_records(3, 2, 2, 1)); }),
      {"two classes"});
  testing::expect_parts(testing::refusal([&] { problem->check(testing::sparse_records(3, 4, 1)); }),
                        {"4 features"});
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("logistic", {2, 2}, "lambda = -1.0");
                        }),
                        {"lambda = -1.0"});
}

// One record a = 2 of label +1 and lambda = 0.1: L = 4/4 + 0.2, and the second derivative at 0, by
// differences, is just that. f(0) = log 2.
TEST(Logistic, SmoothnessByHand) {
  const auto problem = testing::make_problem("logistic", {1, 2, true}, "lambda = 0.1");
  EXPECT_DOUBLE_EQ(*problem->smoothness(2), 1.2);
  Dataset data;
  SparseRows rows;
  rows.columns = 1;
  rows.column = {0};
  rows.value = {real{2}};
  rows.start = {0, 1};
  data.rows = rows;
  data.label = {1};
  data.prepare();
  const auto slope = [&](real x) {
    Vector g{real{0}};
    problem->add_regulariser_gradient(Vector{x}, g);
    std::vector<double> sum(1);
    full_sum(*problem, data, Vector{x}, sum);
    return sum[0] + static_cast<double>(g[0]);
  };
  constexpr real step = 0.01;
  EXPECT_NEAR((slope(step) - slope(-step)) / (2 * static_cast<double>(step)), 1.2, 1e-3);
  EXPECT_DOUBLE_EQ(*problem->suboptimality_of_zero(),
                   full_sum(*problem, data, Vector{real{0}}, {}));
  EXPECT_FALSE(testing::make_problem("linear", {1, 0})->smoothness(2));
  EXPECT_FALSE(testing::make_problem("linear", {1, 0})->suboptimality_of_zero());
}

}  // namespace trilemma::logistic_test
