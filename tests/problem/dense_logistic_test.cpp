// The logistic loss on dense records (src/problem/logistic_dense.cpp): the plain twin is the same
// problem on sparse rows that hold the same records.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::dense_logistic_test {

constexpr std::size_t features = 7;
constexpr std::size_t records = 70;  // more than two parts of a product, and a rest

// Sparse records with the labels -1 and +1, and the same ones as dense rows of the classes 0 and 1.
struct Twins {
  Dataset sparse = testing::sparse_records(records, features, 3);
  Dataset dense = sparse;
  Twins() {
    dense.make_dense();
    dense.prepare();
  }
};

struct Pass {
  double loss;
  Vector factors, sum;
  std::size_t correct;
  std::vector<double> norm;
};
Pass pass_over(const Dataset& data, bool sparse, const Vector& x,
               const std::vector<std::uint32_t>& rows) {
  const auto problem = testing::make_problem("logistic", {features, 2, sparse}, "lambda = 0.2");
  problem->check(data);
  Batch batch;
  Pass out{0, Vector(rows.size()), Vector(features, real{1}), 0, std::vector<double>(rows.size())};
  problem->load(data, rows, batch);
  out.loss = problem->linearise(batch, x, out.factors, true);
  problem->norms(batch, out.factors, out.norm);
  problem->accumulate(batch, out.factors, 0.3, out.sum);
  out.correct = problem->correct(batch, x);
  return out;
}

TEST(DenseLogistic, IsTheSparseProblemOnTheSameRecords) {
  const Twins twins;
  const Vector x = testing::random_vector(features, 5, 0.7);
  const std::vector<std::uint32_t> few{69, 3, 3, 17};
  for (const auto& rows : {testing::all_rows(records), few}) {
    const Pass dense = pass_over(twins.dense, false, x, rows);
    const Pass sparse = pass_over(twins.sparse, true, x, rows);
    EXPECT_NEAR(dense.loss, sparse.loss, 20 * testing::rounding * sparse.loss);
    EXPECT_EQ(dense.correct, sparse.correct);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(dense.factors[i], sparse.factors[i], 10 * testing::rounding) << i;
      EXPECT_NEAR(dense.norm[i], sparse.norm[i], 40 * testing::rounding) << i;
    }
    for (std::size_t j = 0; j < features; ++j)
      EXPECT_NEAR(dense.sum[j], sparse.sum[j], 100 * testing::rounding) << j;
  }
}

// Records (2, 0) of class 1 and (1, -3) of class 0 at x = (1, 1): margins +2 and -(1 - 3) = 2.
TEST(DenseLogistic, ByHand) {
  DenseRows rows;
  rows.columns = 2;
  rows.value = {2, 0, 1, -3};
  Dataset data;
  data.rows = rows;
  data.label = {1, 0};
  data.prepare();
  const auto problem = testing::make_problem("logistic", {2, 2, false});
  const auto all = testing::all_rows(2);
  Batch batch;
  Vector factors(2);
  problem->load(data, all, batch);
  EXPECT_NEAR(problem->linearise(batch, Vector{1, 1}, factors, true),
              2 * std::log1p(std::exp(-2.0)), 1e-6);
  const double tail = 1 / (1 + std::exp(2.0));
  EXPECT_NEAR(factors[0], -tail, testing::rounding);
  EXPECT_NEAR(factors[1], tail, testing::rounding);
  Vector sum(2, real{0});
  problem->accumulate(batch, factors, 1.0, sum);
  EXPECT_NEAR(sum[0], -2 * tail + tail, 4 * testing::rounding);
  EXPECT_NEAR(sum[1], -3 * tail, 4 * testing::rounding);
}

TEST(DenseLogistic, RefusesOtherClasses) {
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("logistic", {2, 3, false});
                        }),
                        {"two classes", "3", "softmax"});
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("logistic", {2, 0, false});
                        }),
                        {"real targets", "data.classes = 2", "linear"});
  const auto problem = testing::make_problem("logistic", {features, 2, false});
  testing::expect_parts(testing::refusal([&] { problem->check(Twins().sparse); }), {"dense"});
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::dense_records(3, features, 3, 1)); }),
      {"two classes", "3"});
}

}  // namespace trilemma::dense_logistic_test
