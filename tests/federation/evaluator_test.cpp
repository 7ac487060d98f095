// Exact metrics (src/federation/evaluator.hpp): f is the mean over clients of the mean over records
// plus the regulariser (spec algorithms.md 1.6).

#include "federation/evaluator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::evaluator_test {

TEST(Evaluator, MeanOverClientsOfTheMeanOverRecords) {
  testing::Case on = testing::make_case("logistic", 1, 10, 6, 1);
  on.shards.push_back(testing::sparse_records(25, 6, 2));  // shards of different sizes
  const Vector x = testing::random_vector(6, 3, 0.5);
  TestRecords records;
  records.common = testing::sparse_records(40, 6, 4);
  records.common_total = 40;
  MetricLog metric_log;
  Evaluator evaluator({.problem = on.problem.get(),
                       .shards = on.view(),
                       .place = {.clients = 2},
                       .test = std::move(records),
                       .work = nullptr,
                       .shape = plain_shape(6, 2),
                       .finetuning = nullptr,
                       .metric_log = &metric_log});
  Ranks ranks(Placement{});
  const Metrics found = evaluator.evaluate(x, ranks);

  double objective = on.problem->regulariser(x);
  auto gradient = testing::regulariser_gradient(*on.problem, x);
  for (const auto& shard : on.shards) {
    objective += full_sum(*on.problem, shard, x, {}) / static_cast<double>(shard.size()) / 2;
    const auto mean = testing::mean_gradient(*on.problem, shard, x, 1e30);
    for (std::size_t j = 0; j < 6; ++j) gradient[j] += mean[j] / 2;
  }
  EXPECT_NEAR(found.objective, objective, 1e-12);
  EXPECT_NEAR(found.gradient_norm_squared,
              testing::distance_squared(gradient, std::vector<double>(6, 0.0)),
              20 * testing::rounding);

  const Dataset test = testing::sparse_records(40, 6, 4);
  std::size_t right = 0;
  for (std::uint32_t row = 0; row < 40; ++row) {
    Batch batch;
    on.problem->load(test, {&row, 1}, batch);
    right += on.problem->correct(batch, x);
  }
  EXPECT_DOUBLE_EQ(found.accuracy, static_cast<double>(right) / 40);
  EXPECT_NEAR(found.test_loss, full_sum(*on.problem, test, x, {}) / 40, 20 * testing::rounding);
  ASSERT_EQ(found.class_accuracy.size(), 2U);
  const auto of_class = [&](int label) {
    return static_cast<double>(std::count(test.label.begin(), test.label.end(), label));
  };
  EXPECT_NEAR(found.class_accuracy[0] * of_class(-1) + found.class_accuracy[1] * of_class(1),
              static_cast<double>(right), 1e-12);
  const Metrics scores = evaluator.evaluate(x, ranks, false);
  EXPECT_EQ(scores.accuracy, found.accuracy);
  EXPECT_TRUE(std::isnan(scores.objective) && std::isnan(scores.gradient_norm_squared));
}

// Test records of the classes 0 and 2 alone, twice as many as a block: the plain twin counts.
TEST(Evaluator, ScoresByClass) {
  const testing::Case on = testing::make_case("softmax", 1, 10, 6, 1);
  const Vector x = testing::random_vector(on.problem->dimension(), 3, 0.5);
  Dataset test = testing::dense_records(1001, 6, 3, 4);
  for (auto& label : test.label) label = label == 1 ? 0 : label;
  std::vector<double> right(3);
  std::vector<double> all(3);
  Batch batch;
  for (std::uint32_t row = 0; row < 1001; ++row) {
    on.problem->load(test, {&row, 1}, batch);
    const auto label = static_cast<std::size_t>(test.label[row]);
    right[label] += static_cast<double>(on.problem->correct(batch, x));
    ++all[label];
  }
  TestRecords records;
  records.common = test;
  records.common_total = 1001;
  records.classes = 3;
  MetricLog metric_log;
  Evaluator evaluator({.problem = on.problem.get(),
                       .shards = on.view(),
                       .place = {.clients = 1},
                       .test = std::move(records),
                       .work = nullptr,
                       .shape = plain_shape(x.size(), 1),
                       .finetuning = nullptr,
                       .metric_log = &metric_log});
  Ranks ranks(Placement{});
  const Metrics found = evaluator.evaluate(x, ranks, false);
  EXPECT_NEAR(found.test_loss, full_sum(*on.problem, test, x, {}) / 1001, 100 * testing::rounding);
  EXPECT_DOUBLE_EQ(found.accuracy, (right[0] + right[2]) / 1001);
  EXPECT_DOUBLE_EQ(found.class_accuracy[0], right[0] / all[0]);
  EXPECT_TRUE(std::isnan(found.class_accuracy[1]));
  EXPECT_DOUBLE_EQ(found.class_accuracy[2], right[2] / all[2]);
}

TEST(Evaluator, NoAccuracyWithoutTestRecords) {
  const testing::Case on = testing::make_case("logistic", 1, 10, 6, 1);
  Dataset none;
  std::get<SparseRows>(none.rows).columns = 6;
  TestRecords records;
  records.common = none;
  MetricLog metric_log;
  Evaluator evaluator({.problem = on.problem.get(),
                       .shards = on.view(),
                       .place = {.clients = 1},
                       .test = std::move(records),
                       .work = nullptr,
                       .shape = plain_shape(6, 1),
                       .finetuning = nullptr,
                       .metric_log = &metric_log});
  Ranks ranks(Placement{});
  EXPECT_TRUE(std::isnan(evaluator.evaluate(Vector(6, real{0}), ranks).accuracy));
}

TEST(Evaluator, TestRowsAreDealtOnceForAnyNumberOfHosts) {
  for (const std::size_t total : {0U, 1U, 499U, 500U, 501U, 2600U})
    for (std::size_t hosts = 1; hosts <= 5; ++hosts) {
      std::vector<int> seen(total);
      for (std::size_t host = 0; host < hosts; ++host)
        for (const auto row : test_rows(total, host, hosts)) ++seen[row];
      for (const int count : seen) ASSERT_EQ(count, 1) << total << ' ' << hosts;
    }
}

}  // namespace trilemma::evaluator_test
