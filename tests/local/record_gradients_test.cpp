// Clipped gradients of single records (src/local/record_gradients.hpp; spec algorithms.md 6.3,
// clipping per record).

#include "local/record_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/estimators.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::record_gradients_test {

using testing::make_case;

class RecordGradientsOf : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordGradientsOf, EveryRecordIsClippedToTheThreshold) {
  const auto on = make_case(GetParam(), 1, 60, 9, 1);
  const Vector x = testing::random_vector(on.problem->dimension(), 2, 0.5);
  for (const double threshold : {0.05, 0.5, 1.0}) {
    RecordGradients gradients(*on.problem, {threshold});
    int clipped = 0;
    for (std::uint32_t row = 0; row < 60; ++row) {
      Vector sum(x.size(), real{0});
      gradients.add(on.shards[0], {&row, 1}, x, 1.0, sum);
      const auto expected = testing::record_gradient(*on.problem, on.shards[0], row, x, threshold);
      const auto whole = testing::record_gradient(*on.problem, on.shards[0], row, x, 1e30);
      double norm = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        EXPECT_NEAR(sum[j], expected[j], 30 * testing::rounding * threshold);
        norm += std::pow(static_cast<double>(sum[j]), 2);
      }
      EXPECT_LE(std::sqrt(norm), threshold * (1 + 30 * testing::rounding));
      const std::vector<double> zero(x.size(), 0.0);
      clipped += testing::distance_squared(whole, zero) > threshold * threshold ? 1 : 0;
    }
    EXPECT_GE(clipped, threshold == 0.05 ? 50 : 0);  // the test has something to see
  }
}

// z becomes G z / (G + |z|): shorter than G, in the same direction.
TEST_P(RecordGradientsOf, SmoothlyBoundedGradientsKeepTheirDirection) {
  const auto on = make_case(GetParam(), 1, 30, 9, 1);
  const Vector x = testing::random_vector(on.problem->dimension(), 2, 0.5);
  for (const double threshold : {0.05, 0.5, 20.0}) {
    RecordGradients gradients(*on.problem, {threshold, true});
    for (std::uint32_t row = 0; row < 30; ++row) {
      Vector sum(x.size(), real{0});
      gradients.add(on.shards[0], {&row, 1}, x, 1.0, sum);
      const auto whole = testing::record_gradient(*on.problem, on.shards[0], row, x, 1e30);
      const std::vector<double> zero(x.size(), 0.0);
      const double norm = std::sqrt(testing::distance_squared(whole, zero));
      for (std::size_t j = 0; j < x.size(); ++j)
        EXPECT_NEAR(sum[j], threshold / (threshold + norm) * whole[j],
                    30 * testing::rounding * threshold);
      EXPECT_LE(std::sqrt(testing::distance_squared(testing::as_double(sum), zero)),
                threshold * (1 + 30 * testing::rounding));
    }
  }
}

TEST_P(RecordGradientsOf, WithoutThresholdNothingIsClipped) {
  const auto on = make_case(GetParam(), 1, 20, 9, 1);
  const Vector x = testing::random_vector(on.problem->dimension(), 2, 5.0);
  RecordGradients gradients(*on.problem, {std::numeric_limits<double>::infinity()});
  for (std::uint32_t row = 0; row < 20; ++row) {
    Vector sum(x.size(), real{0});
    gradients.add(on.shards[0], {&row, 1}, x, 1.0, sum);
    EXPECT_EQ(testing::as_double(sum),
              testing::record_gradient(*on.problem, on.shards[0], row, x, 1e30));
  }
}

// More rows than one block, repeats among them.
TEST_P(RecordGradientsOf, LongListsAreSummedWhole) {
  const auto on = make_case(GetParam(), 1, 40, 9, 1);
  const Vector x = testing::random_vector(on.problem->dimension(), 2, 0.5);
  std::vector<std::uint32_t> rows;
  Stream stream({1, Purpose::data, 0, 0});
  for (std::size_t i = 0; i < 2 * block_rows(*on.problem) + 7; ++i)
    rows.push_back(stream.below(40));
  RecordGradients gradients(*on.problem, {0.3});
  const double weight = 1.0 / static_cast<double>(rows.size());
  Vector sum(x.size(), real{0});
  gradients.add(on.shards[0], rows, x, weight, sum);
  std::vector<double> expected(x.size(), 0.0);
  for (const auto row : rows) {
    const auto one = testing::record_gradient(*on.problem, on.shards[0], row, x, 0.3);
    for (std::size_t j = 0; j < one.size(); ++j) expected[j] += weight * one[j];
  }
  for (std::size_t j = 0; j < x.size(); ++j)
    EXPECT_NEAR(sum[j], expected[j], 100 * testing::rounding * 0.3);
}

INSTANTIATE_TEST_SUITE_P(Problems, RecordGradientsOf,
                         ::testing::Values("logistic", "network", "images", "deep", "softmax"));

}  // namespace trilemma::record_gradients_test
