// Least squares (src/problem/linear.cpp) and the quadratics (src/data/quadratics_source.cpp; spec
// algorithms.md 1.6 and experiments.md 3.1).

#include <gtest/gtest.h>

#include <cmath>

#include "data/partition.hpp"
#include "data/source.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::linear_test {

// Two records (1, 2) -> 3 and (0, 1) -> 1.
Dataset two_records() {
  Dataset data;
  DenseRows rows;
  rows.columns = 2;
  rows.value = {1, 2, 0, 1};
  data.rows = rows;
  data.label = {0, 0};
  data.classes = 0;
  data.target = {3, 1};
  data.prepare();
  return data;
}

TEST(Linear, ByHand) {
  const auto problem = testing::make_problem("linear", {2, 0}, "l2 = 0.5");
  const Dataset data = two_records();
  const Vector x{1, 2};  // residuals 2 and 1
  std::vector<double> gradient(2, 0.0);
  EXPECT_DOUBLE_EQ(full_sum(*problem, data, x, gradient), 0.5 * 4 + 0.5 * 1);
  EXPECT_EQ(gradient, (std::vector<double>{2, 5}));
  EXPECT_DOUBLE_EQ(problem->regulariser(x), 0.5 * 0.5 * 5);
  Vector slope{0, 0};
  problem->add_regulariser_gradient(x, slope);
  EXPECT_EQ(slope, (Vector{real(0.5), real(1)}));
}

// Without a regulariser both records are met exactly: x = (1, 1). With l2 and weights the gradient
// vanishes there.
TEST(Linear, OptimumSolvesTheNormalEquations) {
  const Dataset data = two_records();
  const std::vector<double> half{0.5, 0.5};
  const auto exact = testing::make_problem("linear", {2, 0})->optimum(data, half);
  ASSERT_TRUE(exact.has_value());
  EXPECT_NEAR(exact->x[0], 1, 1e-12);
  EXPECT_NEAR(exact->x[1], 1, 1e-12);
  EXPECT_NEAR(exact->value, 0, 1e-20);

  const std::vector<double> weight{0.75, 0.25};
  const auto best = testing::make_problem("linear", {2, 0}, "l2 = 0.5")->optimum(data, weight);
  const double r0 = best->x[0] + 2 * best->x[1] - 3;
  const double r1 = best->x[1] - 1;
  EXPECT_NEAR(0.75 * r0 + 0.5 * best->x[0], 0, 1e-12);
  EXPECT_NEAR(2 * 0.75 * r0 + 0.25 * r1 + 0.5 * best->x[1], 0, 1e-12);
  EXPECT_NEAR(best->value,
              0.5 * (0.75 * r0 * r0 + 0.25 * r1 * r1) +
                  0.25 * (best->x[0] * best->x[0] + best->x[1] * best->x[1]),
              1e-12);
}

TEST(Linear, RefusesRecordsWithoutTargets) {
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("linear", {3, 2});
                        }),
                        {"problem", "real targets"});
  const auto problem = testing::make_problem("linear", {3, 0});
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::dense_records(4, 3, 2, 1)); }),
      {"linear", "real targets"});
}

TrainTest quadratics(const std::string& toml, std::uint64_t seed = 1) {
  Settings settings = Settings::from_text(toml, "data.toml");
  return row(sources(), "quadratics").make(settings)->load("", seed);
}

// f_i has rank r, is 0 at a centre, and its entries have the stated deviation.
TEST(Quadratics, AreHalfSquaredResidualsOfEachUser) {
  const TrainTest data = quadratics("functions = 30\nfeatures = 50\nrank = 4");
  const auto& rows = std::get<DenseRows>(data.train.rows);
  ASSERT_EQ(data.train.size(), 120U);
  ASSERT_EQ(data.train.user.size(), 120U);
  EXPECT_EQ(data.train.user[3], 0U);
  EXPECT_EQ(data.train.user[4], 1U);
  double squares = 0;
  for (const real value : rows.value) squares += static_cast<double>(value) * value;
  // Rows are sqrt(rank) times columns whose entries have variance 1/rank^2: variance 1/rank.
  const auto count = static_cast<double>(rows.value.size());
  EXPECT_NEAR(squares / count, 0.25, 5 * 0.25 * std::sqrt(2 / count));
  // Targets a.c have variance |a|^2 for centres N(0, I).
  double targets = 0;
  for (const real value : data.train.target) targets += static_cast<double>(value) * value;
  EXPECT_NEAR(targets / 120, 50 * 0.25, 5 * 12.5 * std::sqrt(2.0 / 120) * 1.5);
}

TEST(Quadratics, DependOnTheSeedAlone) {
  const auto one = quadratics("functions = 3\nfeatures = 5\nrank = 2", 4);
  EXPECT_EQ(one.train.target, quadratics("functions = 3\nfeatures = 5\nrank = 2", 4).train.target);
  EXPECT_NE(one.train.target, quadratics("functions = 3\nfeatures = 5\nrank = 2", 5).train.target);
}

}  // namespace trilemma::linear_test
