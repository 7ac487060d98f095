// Scores of the best constant answers (src/federation/partitioned_data.hpp), by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "federation/partitioned_data.hpp"

namespace trilemma::baseline_test {

Dataset with_labels(std::vector<std::int32_t> labels, int classes) {
  Dataset data;
  data.label = std::move(labels);
  data.classes = classes;
  return data;
}

Dataset with_targets(Vector targets, double scale) {
  Dataset data = with_labels(std::vector<std::int32_t>(targets.size(), 0), 0);
  data.target = std::move(targets);
  data.target_scale = scale;
  return data;
}

TEST(Baseline, IsTheShareOfTheMostFrequentClassOfTheTestSet) {
  PartitionedData partitioned;
  partitioned.data.train = with_labels({1, 1, 1, 1}, 2);
  partitioned.data.test = with_labels({-1, -1, 1, -1}, 2);
  const Baseline found = best_constants(partitioned);
  EXPECT_DOUBLE_EQ(found.common, 0.75);
  EXPECT_TRUE(std::isnan(found.personal));
}

// Client 0 holds out classes 0 0 1, client 1 class 2 twice, client 2 nothing.
TEST(Baseline, IsOverWhatTheClientsHoldOut) {
  PartitionedData partitioned;
  partitioned.data.train = with_labels({0, 0, 1, 2, 2, 1, 1, 1}, 3);
  partitioned.test = {{0, 1, 2}, {3, 4}, {}};
  partitioned.test_is_held_out = true;
  const Baseline found = best_constants(partitioned);
  EXPECT_DOUBLE_EQ(found.common, 2.0 / 5.0);
  EXPECT_DOUBLE_EQ(found.personal, (2.0 / 3.0 + 1.0) / 2.0);
}

// Targets 1, 3 | 7: deviations 1 and 0 within the clients; mean 11/3 over all.
TEST(Baseline, IsTheDeviationOfRealTargetsInTheUnitsOfTheSource) {
  PartitionedData partitioned;
  partitioned.data.test = with_targets({1, 3, 7}, 10);
  EXPECT_NEAR(best_constants(partitioned).common, 10 * std::sqrt(56.0 / 9.0), 1e-12);
  partitioned.test = {{0, 1}, {2}};
  EXPECT_NEAR(best_constants(partitioned).personal, 10 * 0.5, 1e-12);
}

TEST(Baseline, IsUnknownWithoutTestRecords) {
  PartitionedData partitioned;
  partitioned.data.train = with_labels({0, 1}, 2);
  const Baseline found = best_constants(partitioned);
  EXPECT_TRUE(std::isnan(found.common));
  EXPECT_TRUE(std::isnan(found.personal));
}

// Records without targets, of which a mean is estimated, have no score.
TEST(Baseline, IsUnknownWhereNothingIsPredicted) {
  PartitionedData partitioned;
  partitioned.data.test = with_labels({0, 0}, 0);
  EXPECT_TRUE(std::isnan(best_constants(partitioned).common));
}

}  // namespace trilemma::baseline_test
