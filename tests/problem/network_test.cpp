// The network (src/problem/network.cpp, image_layer.cpp) against a plain twin in double, for reals,
// for dense images and for images with many zero bytes, which take another way through the first
// layer.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/scaling.hpp"
#include "tests/support/network_twin.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma {
namespace {

constexpr std::size_t inputs = 30;
constexpr std::size_t records = 40;

struct Kind {
  const char* name;
  std::size_t hidden;
  double filled;  // share of bytes that are not 0; negative: reals
};

class NetworkTwin : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const Kind kind = GetParam();
    shape_ = {inputs, kind.hidden, 5};
    TrainTest data;
    data.train = kind.filled < 0 ? testing::dense_records(records, inputs, 5, 3)
                                 : testing::byte_records(records, inputs, 5, 3, kind.filled);
    if (kind.filled >= 0) scale_features(data, "standard");
    data_ = data.train.select(testing::all_rows(records));  // norms of the scaled rows
    data_.prepare();
    problem_ =
        testing::make_problem("network", {inputs, 5}, "hidden = " + std::to_string(kind.hidden));
    x_ = testing::random_vector(shape_.dimension(), 4, 0.3);
  }

  testing::LossGradient twin(std::uint32_t row) const {
    Vector a(inputs);
    std::get<DenseRows>(data_.rows).gather({&row, 1}, a);
    return testing::network_twin(shape_, {a.begin(), a.end()},
                                 static_cast<std::size_t>(data_.label[row]), x_);
  }

  testing::NetworkShape shape_{};
  Dataset data_;
  std::unique_ptr<Problem> problem_;
  Vector x_;
};

TEST_P(NetworkTwin, LossAndGradientOfSingleRecords) {
  for (std::uint32_t row = 0; row < records; ++row) {
    const auto expected = twin(row);
    const auto found = testing::record_gradient(*problem_, data_, row, x_, 1e30);
    for (std::size_t j = 0; j < found.size(); ++j)
      ASSERT_NEAR(found[j], expected.gradient[j], 200 * testing::rounding) << row << ' ' << j;
  }
}

TEST_P(NetworkTwin, LossGradientNormsAndAccuracyOfABatch) {
  const std::vector<std::uint32_t> rows{7, 3, 3, 39, 0, 21};
  Batch batch;
  Vector factors(rows.size() * problem_->factors());
  problem_->load(data_, rows, batch);
  const double loss = problem_->linearise(batch, x_, factors, true);
  Vector sum(x_.size(), real{1});
  problem_->accumulate(batch, factors, 0.5, sum);
  std::vector<double> norm(rows.size());
  problem_->norms(batch, factors, norm);
  double expected_loss = 0;
  std::vector<double> expected(x_.size(), 1.0);
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto one = twin(rows[i]);
    expected_loss += one.loss;
    right += one.guess == static_cast<std::size_t>(data_.label[rows[i]]) ? 1U : 0U;
    double square = 0;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      expected[j] += 0.5 * one.gradient[j];
      square += one.gradient[j] * one.gradient[j];
    }
    EXPECT_NEAR(norm[i], std::sqrt(square), 200 * testing::rounding * std::sqrt(square));
  }
  EXPECT_NEAR(loss, expected_loss, 200 * testing::rounding * expected_loss);
  for (std::size_t j = 0; j < expected.size(); ++j)
    ASSERT_NEAR(sum[j], expected[j], 500 * testing::rounding) << j;
  EXPECT_EQ(problem_->correct(batch, x_), right);
}

INSTANTIATE_TEST_SUITE_P(Network, NetworkTwin,
                         ::testing::Values(Kind{"reals", 7, -1.0}, Kind{"dense_bytes", 7, 1.0},
                                           Kind{"sparse_bytes", 7, 0.2},
                                           Kind{"sparse_bytes_one_strip", 64, 0.2},
                                           Kind{"sparse_bytes_two_strips", 70, 0.2},
                                           Kind{"sparse_bytes_three_strips", 130, 0.2}),
                         [](const auto& test) { return test.param.name; });

TEST(Network, DimensionsOfTheSpec) {
  // spec A36 and 6.6: 784-64-10 has d = 50,890.
  const auto problem = testing::make_problem("network", {784, 10});
  EXPECT_EQ(problem->dimension(), 50890U);
  EXPECT_EQ(problem->factors(), 2U * 64U + 10U);
  EXPECT_EQ(problem->regulariser(Vector(50890, real{1})), 0.0);
}

TEST(Network, LargeActivationsDoNotOverflow) {
  const auto problem = testing::make_problem("network", {inputs, 5}, "hidden = 7");
  const Dataset data = testing::dense_records(records, inputs, 5, 3);
  const Vector x = testing::random_vector(problem->dimension(), 5, 1e4);
  std::vector<double> gradient(x.size(), 0.0);
  EXPECT_TRUE(std::isfinite(full_sum(*problem, data, x, gradient)));
  for (const double g : gradient) ASSERT_TRUE(std::isfinite(g));
}

TEST(Network, ADivergedModelGivesNan) {
  const auto problem = testing::make_problem("network", {inputs, 5}, "hidden = 7");
  const Dataset data = testing::dense_records(3, inputs, 5, 3);
  const Vector x(problem->dimension(), std::numeric_limits<real>::quiet_NaN());
  EXPECT_TRUE(std::isnan(full_sum(*problem, data, x, {})));
}

TEST(Network, RefusesOtherData) {
  const auto problem = testing::make_problem("network", {inputs, 5});
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::sparse_records(3, inputs, 1)); }), {"dense"});
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::dense_records(3, 4, 5, 1)); }),
      {"4 features"});
}

}  // namespace
}  // namespace trilemma
