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

namespace trilemma::network_test {

constexpr std::size_t inputs = 30;
constexpr std::size_t records = 40;

struct Kind {
  const char* name;
  std::vector<std::size_t> hidden;
  double filled;  // share of bytes that are not 0; negative: reals
  const char* activation = "sigmoid";
};

std::string hidden_text(const std::vector<std::size_t>& hidden) {
  std::string text;
  for (const auto units : hidden) text += (text.empty() ? "" : ", ") + std::to_string(units);
  return "hidden = [" + text + "]\n";
}

class NetworkTwin : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const Kind kind = GetParam();
    shape_.widths.push_back(inputs);
    shape_.widths.insert(shape_.widths.end(), kind.hidden.begin(), kind.hidden.end());
    shape_.widths.push_back(5);
    shape_.activation = kind.activation;
    TrainTest data;
    data.train = kind.filled < 0 ? testing::dense_records(records, inputs, 5, 3)
                                 : testing::byte_records(records, inputs, 5, 3, kind.filled);
    if (kind.filled >= 0) scale_features(data, Scaling::standard);
    data_ = data.train.select(testing::all_rows(records));  // norms of the scaled rows
    data_.prepare();
    problem_ = testing::make_problem(
        "network", {inputs, 5},
        hidden_text(kind.hidden) + "activation = \"" + kind.activation + "\"\nl2 = 0.1");
    ASSERT_EQ(problem_->dimension(), shape_.dimension());
    x_ = testing::random_vector(problem_->dimension(), 4, 0.3);
  }

  testing::LossGradient twin(std::uint32_t row) const { return twin(row, {x_.begin(), x_.end()}); }
  testing::LossGradient twin(std::uint32_t row, const std::vector<double>& x) const {
    Vector a(inputs);
    std::get<DenseRows>(data_.rows).gather({&row, 1}, a);
    return testing::network_twin(shape_, {a.begin(), a.end()},
                                 static_cast<std::size_t>(data_.label[row]), x);
  }
  // The objective in double, so that the steps of differences can be small in the float build too.
  double objective(const std::vector<double>& x) const {
    double sum = 0;
    for (std::uint32_t row = 0; row < records; ++row) sum += twin(row, x).loss;
    double square = 0;
    for (const double v : x) square += v * v;
    return sum / records + 0.05 * square;
  }

  testing::NetworkShape shape_{};
  Dataset data_;
  std::unique_ptr<Problem> problem_;
  Vector x_;
};

TEST_P(NetworkTwin, GradientIsTheDerivativeOfTheObjective) {
  std::vector<double> gradient(x_.size(), 0.0);
  const double loss = full_sum(*problem_, data_, x_, gradient);
  Vector slope(x_.size());
  problem_->add_regulariser_gradient(x_, slope);
  std::vector<double> at(x_.begin(), x_.end());
  const double expected = objective(at);
  EXPECT_NEAR(loss / records + problem_->regulariser(x_), expected,
              100 * testing::rounding * expected);
  const double limit = testing::wide ? 1e-6 : 1e-3;
  const double step = 1e-5;
  double largest = 0;
  for (std::size_t j = 0; j < at.size(); ++j) {
    gradient[j] = gradient[j] / records + static_cast<double>(slope[j]);
    largest = std::max(largest, std::abs(gradient[j]));
  }
  Stream stream({2, Purpose::data, 0, 0});
  for (int trial = 0; trial < 25; ++trial) {
    const std::size_t j = stream.below(static_cast<std::uint32_t>(at.size()));
    const double x = at[j];
    at[j] = x + step;
    const double up = objective(at);
    at[j] = x - step;
    const double difference = (up - objective(at)) / (2 * step);
    at[j] = x;
    EXPECT_LT(std::abs(difference - gradient[j]),
              limit * std::max(std::abs(gradient[j]), 0.01 * largest))
        << j;
  }
}

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

// One coordinate alone, neighbours, as many of a column as there are units, and few of all.
TEST_P(NetworkTwin, SumsAtFewCoordinates) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 67; ++i) rows.push_back(i * 7 % records);
  std::vector<double> expected(x_.size(), 1.0);
  for (const std::uint32_t row : rows) {
    const auto one = twin(row);
    for (std::size_t j = 0; j < expected.size(); ++j) expected[j] += 0.5 * one.gradient[j];
  }
  Batch batch;
  Vector factors(rows.size() * problem_->factors());
  problem_->load(data_, rows, batch);
  problem_->linearise(batch, x_, factors, false);
  const std::size_t units = shape_.widths[1];
  const auto last = static_cast<std::uint32_t>(x_.size() - 1);
  std::vector<std::vector<std::uint32_t>> cases{{11}, {0, 1, last}, {}, {}, {last}};
  for (std::size_t j = 0; j < units; ++j)
    cases[2].push_back(static_cast<std::uint32_t>(3 * units + j));
  for (std::uint32_t j = 2; j < last; j += 9) cases[3].push_back(j);
  for (const auto& at : cases) {
    Vector sum(x_.size(), real{1});
    problem_->accumulate_at(batch, factors, 0.5, at, sum);
    for (const std::uint32_t j : at)
      ASSERT_NEAR(sum[j], expected[j], 2000 * testing::rounding) << at.size() << ' ' << j;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Network, NetworkTwin,
    ::testing::Values(Kind{"reals", {7}, -1.0}, Kind{"dense_bytes", {7}, 1.0},
                      Kind{"sparse_bytes", {7}, 0.2}, Kind{"sparse_bytes_half_a_strip", {32}, 0.2},
                      Kind{"sparse_bytes_all_parts_of_a_strip", {61}, 0.2},
                      Kind{"sparse_bytes_one_strip", {64}, 0.2},
                      Kind{"sparse_bytes_two_strips", {70}, 0.2},
                      Kind{"sparse_bytes_three_strips", {130}, 0.2}, Kind{"flat_reals", {}, -1.0},
                      Kind{"flat_sparse_bytes", {}, 0.2}, Kind{"tanh", {7}, -1.0, "tanh"},
                      Kind{"relu", {7}, -1.0, "relu"}, Kind{"two_sigmoid", {7, 6}, 1.0},
                      Kind{"two_tanh", {7, 6}, 0.2, "tanh"}, Kind{"two_relu", {7, 6}, 1.0, "relu"},
                      Kind{"three_sigmoid", {6, 9, 4}, -1.0},
                      Kind{"three_tanh", {6, 9, 4}, 1.0, "tanh"},
                      Kind{"three_relu", {6, 9, 4}, 0.2, "relu"}),
    [](const auto& test) { return test.param.name; });

// One input a = 2, two hidden units, two classes: z = (2 * 1 - 1, 2 * -1 + 0.5) = (1, -1.5), logits
// (h_1, h_2).
TEST(Network, ActivationsByHand) {
  DenseRows rows;
  rows.columns = 1;
  rows.value = {2};
  Dataset data;
  data.rows = rows;
  data.label = {1};
  data.prepare();
  const Vector x{1, -1, -1, real(0.5), 1, 0, 0, 1, 0, 0};
  const auto gradient = [&](const std::string& kind, double h1, double h2, double d1, double d2) {
    const auto problem =
        testing::make_problem("network", {1, 2}, "hidden = 2\nactivation = \"" + kind + "\"");
    const double p = 1 / (1 + std::exp(h2 - h1));  // of class 0
    const auto g = testing::record_gradient(*problem, data, 0, x, 1e30);
    const double expected[] = {2 * p * d1, -2 * p * d2, p * d1,  -p * d2, h1 * p,
                               -h1 * p,    h2 * p,      -h2 * p, p,       -p};
    for (std::size_t j = 0; j < 10; ++j)
      EXPECT_NEAR(g[j], expected[j], 8 * testing::rounding) << kind << ' ' << j;
    EXPECT_NEAR(full_sum(*problem, data, x, {}), -std::log1p(-p), 8 * testing::rounding) << kind;
  };
  const double s1 = 1 / (1 + std::exp(-1.0));
  const double s2 = 1 / (1 + std::exp(1.5));
  gradient("sigmoid", s1, s2, s1 * (1 - s1), s2 * (1 - s2));
  const double t1 = std::tanh(1.0);
  const double t2 = std::tanh(-1.5);
  gradient("tanh", t1, t2, 1 - t1 * t1, 1 - t2 * t2);
  gradient("relu", 1, 0, 1, 0);
}

TEST(Network, WritingsOfTheLayers) {
  const auto described = [](const std::string& toml) {
    return testing::make_problem("network", {784, 10}, toml)->description();
  };
  EXPECT_EQ(described(""), "network 784-64-10 sigmoid, d = 50890");
  EXPECT_EQ(described("hidden = 64"), described("hidden = [64]"));
  EXPECT_EQ(described("hidden = [128, 64]\nactivation = \"relu\"\nl2 = 0.5"),
            "network 784-128-64-10 relu, d = 109386, l2 = 0.5");
  EXPECT_EQ(described("hidden = \"128-64\""), described("hidden = [128, 64]"));
  EXPECT_EQ(described("hidden = []"), "network 784-10 sigmoid, d = 7850");
  testing::expect_parts(testing::refusal([&] { described("hidden = [64, 0]"); }),
                        {"problem:1", "hidden = [ 64, 0 ]"});
  testing::expect_parts(testing::refusal([&] { described("activation = \"rel\""); }), {"relu"});
}

// The same model and data: factors, norms and gradients are those of softmax regression, whose
// matrix is transposed.
TEST(Network, WithoutHiddenLayersItIsSoftmaxRegression) {
  const auto flat = testing::make_problem("network", {inputs, 5}, "hidden = []");
  const auto softmax = testing::make_problem("softmax", {inputs, 5});
  const Dataset data = testing::dense_records(records, inputs, 5, 3);
  const Vector x = testing::random_vector(flat->dimension(), 4, 0.3);
  Vector transposed = x;
  for (std::size_t i = 0; i < inputs; ++i)
    for (std::size_t c = 0; c < 5; ++c) transposed[c * inputs + i] = x[i * 5 + c];
  const auto one = testing::record_gradient(*flat, data, 3, x, 1e30);
  const auto other = testing::record_gradient(*softmax, data, 3, transposed, 1e30);
  for (std::size_t i = 0; i < inputs; ++i)
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_NEAR(one[i * 5 + c], other[c * inputs + i], 50 * testing::rounding);
  for (std::size_t c = 0; c < 5; ++c)
    EXPECT_NEAR(one[5 * inputs + c], other[5 * inputs + c], 50 * testing::rounding);
}

TEST(Network, DimensionsOfTheSpec) {
  // spec A36 and 6.6: 784-64-10 has d = 50,890.
  const auto problem = testing::make_problem("network", {784, 10});
  EXPECT_EQ(problem->dimension(), 50890U);
  EXPECT_EQ(problem->factors(), 2U * 64U + 10U);
  EXPECT_EQ(problem->regulariser(Vector(50890, real{1})), 0.0);
}

TEST(Network, LargeActivationsDoNotOverflow) {
  const Dataset data = testing::dense_records(records, inputs, 5, 3);
  for (const char* kind : {"sigmoid", "tanh", "relu"}) {
    const auto problem = testing::make_problem(
        "network", {inputs, 5}, std::string("hidden = [7, 6]\nactivation = '") + kind + "'");
    const Vector x = testing::random_vector(problem->dimension(), 5, 1e4);
    std::vector<double> gradient(x.size(), 0.0);
    EXPECT_TRUE(std::isfinite(full_sum(*problem, data, x, gradient)));
    for (const double g : gradient) ASSERT_TRUE(std::isfinite(g));
  }
}

TEST(Network, ADivergedModelGivesNan) {
  const Dataset data = testing::dense_records(3, inputs, 5, 3);
  for (const char* kind : {"sigmoid", "tanh", "relu"}) {
    const auto problem =
        testing::make_problem("network", {inputs, 5}, std::string("activation = '") + kind + "'");
    const Vector x(problem->dimension(), std::numeric_limits<real>::quiet_NaN());
    EXPECT_TRUE(std::isnan(full_sum(*problem, data, x, {}))) << kind;
  }
}

TEST(Network, RefusesOtherData) {
  const auto problem = testing::make_problem("network", {inputs, 5});
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::sparse_records(3, inputs, 1)); }), {"dense"});
  testing::expect_parts(
      testing::refusal([&] { problem->check(testing::dense_records(3, 4, 5, 1)); }),
      {"4 features"});
}

}  // namespace trilemma::network_test
