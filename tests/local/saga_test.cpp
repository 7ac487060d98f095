// SAGA (src/local/saga.cpp; spec algorithms.md 6.3, option III): the table of each record's last
// gradient and its mean, which an estimate from no record shows.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::saga_test {

constexpr double threshold = 0.4;
constexpr std::size_t records = 14;

class SagaOn : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    saga_ = testing::make_estimator("saga", on_, sampler_, {.batch = 4, .threshold = threshold});
    saga_->start(start_);
    last_.assign(records, start_);
  }
  Vector draw(const std::vector<std::uint32_t>& rows, ConstView x) {
    sampler_.next = rows;
    return testing::estimate(*saga_, x, 0);
  }
  std::vector<double> record(std::uint32_t row, ConstView x) {
    return testing::record_gradient(*on_.problem, on_.shards[0], row, x, threshold);
  }
  // Mean of every record's gradient at the model where it was drawn last.
  std::vector<double> table_mean() {
    std::vector<double> mean(start_.size(), 0.0);
    for (std::uint32_t row = 0; row < records; ++row) {
      const auto one = record(row, last_[row]);
      for (std::size_t j = 0; j < one.size(); ++j) mean[j] += one[j] / records;
    }
    return mean;
  }
  void expect_near(const Vector& found, std::vector<double> expected, ConstView x) {
    const auto slope = testing::regulariser_gradient(*on_.problem, x);
    for (std::size_t j = 0; j < found.size(); ++j)
      EXPECT_NEAR(found[j], expected[j] + slope[j], 100 * testing::rounding);
  }
  Vector model(std::uint64_t seed) { return testing::random_vector(start_.size(), seed, 0.5); }

  testing::Case on_ = testing::make_case(GetParam(), 1, records, 8, 3);
  testing::ScriptedSampler sampler_;
  Vector start_ = testing::random_vector(on_.problem->dimension(), 4, 0.5);
  std::unique_ptr<LocalWork> saga_;
  std::vector<Vector> last_;
};

TEST_P(SagaOn, ByTheFormulaOverSeveralRounds) {
  const std::vector<std::vector<std::uint32_t>> script{
      {1, 5, 9}, {5, 6}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {5, 13}};
  std::uint64_t seed = 10;
  for (const auto& rows : script) {
    const Vector x = model(seed++);
    auto expected = table_mean();
    for (const auto row : rows) {
      const auto fresh = record(row, x);
      const auto old = record(row, last_[row]);
      for (std::size_t j = 0; j < fresh.size(); ++j) expected[j] += (fresh[j] - old[j]) / 4;
      last_[row] = x;
    }
    expect_near(draw(rows, x), expected, x);
  }
}

// Records drawn twice count twice in the estimate, but are replaced once.
TEST_P(SagaOn, MeanOfTheTableStaysTheMeanUnderSamplingWithReplacement) {
  Stream stream({1, Purpose::minibatch, 0, 0});
  for (std::uint64_t round = 0; round < 60; ++round) {
    const Vector x = model(100 + round);
    std::vector<std::uint32_t> rows(6);
    for (auto& row : rows) row = stream.below(records);
    rows[5] = rows[0];  // at least one repeat
    auto expected = table_mean();
    for (const auto row : rows) {
      const auto fresh = record(row, x);
      const auto old = record(row, last_[row]);
      for (std::size_t j = 0; j < fresh.size(); ++j) expected[j] += (fresh[j] - old[j]) / 4;
    }
    for (const auto row : rows) last_[row] = x;
    expect_near(draw(rows, x), expected, x);
    expect_near(draw({}, x), table_mean(), x);
  }
}

// spec 6.6: b = m is GD, whatever the table holds.
TEST_P(SagaOn, WholeBatchIsGdUpToRounding) {
  for (const char* name : {"poisson", "without-replacement"}) {
    const auto sampler = testing::make_sampler(name);
    const auto saga =
        testing::make_estimator("saga", on_, *sampler, {.batch = records, .threshold = threshold});
    saga->start(start_);
    for (std::uint32_t round = 0; round < 10; ++round) {
      const Vector x = model(200 + round);
      expect_near(testing::estimate(*saga, x, round),
                  testing::mean_gradient(*on_.problem, on_.shards[0], x, threshold), x);
    }
  }
}

TEST_P(SagaOn, NoVarianceWhereTheWholeTableStands) {
  const auto mean = testing::mean_gradient(*on_.problem, on_.shards[0], start_, threshold);
  for (std::uint32_t row = 0; row < records; ++row)
    expect_near(draw({row, row}, start_), mean, start_);
}

INSTANTIATE_TEST_SUITE_P(Problems, SagaOn,
                         ::testing::Values("logistic", "network", "images", "deep", "softmax"));

}  // namespace trilemma::saga_test
