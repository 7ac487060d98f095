// Softmax regression (src/problem/softmax.cpp) by hand, against plain loops in double, and against
// central differences of these.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::softmax_test {

constexpr std::size_t inputs = 11;
constexpr std::size_t classes = 4;
constexpr std::size_t records = 40;

// Rows (1, 0) of class 0 and (2, -1) of class 2.
Dataset two_records() {
  DenseRows rows;
  rows.columns = 2;
  rows.value = {1, 0, 2, -1};
  Dataset data;
  data.classes = 3;
  data.rows = rows;
  data.label = {0, 2};
  data.prepare();
  return data;
}

struct Evaluated {
  double loss;
  Vector factors;
  std::vector<double> norm;
  std::size_t correct;
};
Evaluated evaluate(Problem& problem, const Dataset& data, const Vector& x) {
  const auto rows = testing::all_rows(data.size());
  Batch batch;
  Evaluated out{0, Vector(rows.size() * problem.factors()), std::vector<double>(rows.size()), 0};
  problem.load(data, rows, batch);
  out.loss = problem.linearise(batch, x, out.factors, true);
  problem.norms(batch, out.factors, out.norm);
  out.correct = problem.correct(batch, x);
  return out;
}

TEST(Softmax, AtZeroAllClassesAreAlike) {
  const auto problem = testing::make_problem("softmax", {2, 3});
  EXPECT_EQ(problem->dimension(), 9U);
  EXPECT_EQ(problem->factors(), 3U);
  const Evaluated at = evaluate(*problem, two_records(), Vector(9));
  EXPECT_NEAR(at.loss, 2 * std::log(3.0), 1e-14);
  const double third = 1.0 / 3.0;
  const double expected[] = {third - 1, third, third, third, third, third - 1};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(at.factors[i], expected[i], testing::rounding) << i;
  // |e|^2 = 2/3, |[a; 1]|^2 = 2 and 6.
  EXPECT_NEAR(at.norm[0], std::sqrt(4.0 / 3.0), 4 * testing::rounding);
  EXPECT_NEAR(at.norm[1], 2, 8 * testing::rounding);
}

// x = W (row of class 0, 1, 2), then b: logits of (1, 0) are (1, 0, 0) + b, of (2, -1) (2, -1, 1) +
// b.
TEST(Softmax, ByHand) {
  const auto problem = testing::make_problem("softmax", {2, 3});
  const Dataset data = two_records();
  const Vector x{1, 0, 0, 1, 0, -1, 0, 0, static_cast<real>(std::log(2.0))};
  const Evaluated at = evaluate(*problem, data, x);
  // Probabilities e, 1, 2 over e + 3 and e^2, 1/e, 2 e over their sum.
  const double e = std::exp(1.0);
  const double first = e + 3;
  const double second = e * e + 1 / e + 2 * e;
  const double p[] = {e / first - 1,  1 / first,      2 / first,
                      e * e / second, 1 / e / second, 2 * e / second - 1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(at.factors[i], p[i], 4 * testing::rounding) << i;
  EXPECT_NEAR(at.loss, -std::log(e / first) - std::log(2 * e / second), 8 * testing::rounding);
  EXPECT_EQ(at.correct, 1U);  // e > 2, but e^2 > 2 e
  // The gradient of the second record is its factor times (2, -1, 1).
  const auto g = testing::record_gradient(*problem, data, 1, x, 1e30);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(g[2 * c], 2 * p[3 + c], 8 * testing::rounding);
    EXPECT_NEAR(g[2 * c + 1], -p[3 + c], 8 * testing::rounding);
    EXPECT_NEAR(g[6 + c], p[3 + c], 8 * testing::rounding);
  }
}

TEST(Softmax, RegulariserByHand) {
  const auto problem = testing::make_problem("softmax", {1, 2}, "l2 = 0.5");
  const Vector x{1, -2, 0, 4};
  EXPECT_NEAR(problem->regulariser(x), 0.25 * 21, 1e-14);
  Vector g{1, 1, 1, 1};
  problem->add_regulariser_gradient(x, g);
  EXPECT_EQ(g, (Vector{1.5, 0, 1, 3}));
  const auto none = testing::make_problem("softmax", {1, 2});
  EXPECT_EQ(none->regulariser(x), 0.0);
  none->add_regulariser_gradient(x, g);
  EXPECT_EQ(g, (Vector{1.5, 0, 1, 3}));
}

// Loss of one record by plain loops in double; x may differ from a Vector by less than its
// rounding.
double loss_twin(const std::vector<double>& x, const Vector& a, std::size_t label) {
  double sum = 0;
  double own = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    double o = x[classes * inputs + c];
    for (std::size_t j = 0; j < inputs; ++j) o += x[c * inputs + j] * static_cast<double>(a[j]);
    sum += std::exp(o);
    if (c == label) own = o;
  }
  return std::log(sum) - own;
}

struct Kind {
  const char* name;
  double filled;  // share of bytes that are not 0; negative: reals
  double l2;
};
class SoftmaxOn : public ::testing::TestWithParam<Kind> {
 protected:
  Dataset data_ = GetParam().filled < 0
                      ? testing::dense_records(records, inputs, classes, 3)
                      : testing::byte_records(records, inputs, classes, 3, GetParam().filled);
  std::unique_ptr<Problem> problem_ =
      testing::make_problem("softmax", {inputs, classes}, fmt::format("l2 = {}", GetParam().l2));
  Vector x_ = testing::random_vector(problem_->dimension(), 4, 0.3);

  double objective(const std::vector<double>& x) const {
    double sum = 0;
    Vector a(inputs);
    for (std::uint32_t row = 0; row < records; ++row) {
      std::get<DenseRows>(data_.rows).gather({&row, 1}, a);
      sum += loss_twin(x, a, static_cast<std::size_t>(data_.label[row]));
    }
    double square = 0;
    for (const double v : x) square += v * v;
    return sum / records + GetParam().l2 / 2 * square;
  }
};

TEST_P(SoftmaxOn, GradientIsTheDerivative) {
  std::vector<double> gradient(x_.size(), 0.0);
  const double loss = full_sum(*problem_, data_, x_, gradient);
  Vector slope(x_.size());
  problem_->add_regulariser_gradient(x_, slope);
  std::vector<double> at(x_.begin(), x_.end());
  EXPECT_NEAR(loss / records + problem_->regulariser(x_), objective(at), 20 * testing::rounding);
  const double limit = testing::wide ? 1e-6 : 1e-4;
  const double step = 1e-5;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    const double found = gradient[j] / records + static_cast<double>(slope[j]);
    const double x = at[j];
    at[j] = x + step;
    const double up = objective(at);
    at[j] = x - step;
    const double difference = (up - objective(at)) / (2 * step);
    at[j] = x;
    EXPECT_LT(std::abs(difference - found), limit * std::max(std::abs(found), 0.01)) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Softmax, SoftmaxOn,
                         ::testing::Values(Kind{"reals", -1.0, 0.0}, Kind{"reals_l2", -1.0, 0.1},
                                           Kind{"bytes", 1.0, 0.0}, Kind{"bytes_l2", 1.0, 0.1},
                                           Kind{"indexed_bytes", 0.2, 0.0}),
                         [](const auto& test) { return test.param.name; });

TEST(Softmax, LargeLogitsDoNotOverflow) {
  const auto problem = testing::make_problem("softmax", {inputs, classes});
  const Dataset data = testing::dense_records(records, inputs, classes, 3);
  const Vector x = testing::random_vector(problem->dimension(), 5, 1e4);
  std::vector<double> gradient(x.size(), 0.0);
  EXPECT_TRUE(std::isfinite(full_sum(*problem, data, x, gradient)));
  for (const double g : gradient) ASSERT_TRUE(std::isfinite(g));
}

TEST(Softmax, ADivergedModelGivesNan) {
  const auto problem = testing::make_problem("softmax", {inputs, classes});
  const Vector x(problem->dimension(), std::numeric_limits<real>::quiet_NaN());
  EXPECT_TRUE(std::isnan(full_sum(*problem, testing::dense_records(3, inputs, classes, 3), x, {})));
}

TEST(Softmax, RefusesOtherData) {
  const auto problem = testing::make_problem("softmax", {inputs, classes});
  EXPECT_NO_THROW(problem->check(testing::dense_records(3, inputs, classes, 1)));
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::sparse_records(3, inputs, 1)); }), {"dense"});
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::dense_records(3, 4, classes, 1)); }),
      {"4 features"});
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("softmax", {2, 2, true}, "kind = \"softmax\"");
                        }),
                        {"softmax", "dense", "idx"});
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("softmax", {2, 2}, "l2 = -1.0");
                        }),
                        {"l2 = -1.0"});
}

}  // namespace trilemma::softmax_test
