// How unequal clients are (src/data/partition_statistics.hpp).

#include "data/partition_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/random.hpp"

namespace trilemma::partition_statistics_test {

void expect_spread(const Quartiles& found, const std::vector<double>& wanted) {
  const double values[] = {found.least, found.lower, found.median,
                           found.upper, found.most,  found.mean};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(values[i], wanted[i], 1e-12) << i;
}

TEST(PartitionStatistics, QuartilesAreByTheNearestRank) {
  expect_spread(quartiles_of({5}), {5, 5, 5, 5, 5, 5});
  expect_spread(quartiles_of({4, 1, 3, 2}), {1, 1, 2, 3, 4, 2.5});
  expect_spread(quartiles_of({5, 4, 3, 2, 1}), {1, 2, 3, 4, 5, 3});
}

// Labels 0 0 1 1 2 and 0: client 0 has 0 0 1, client 1 has 1 2; record 5 is left out. Together 2/5,
// 2/5, 1/5; distances 1/2 (|2/3 - 2/5| + |1/3 - 2/5| + 1/5) = 4/15 and 1/2 (2/5 + 1/10 + 3/10) =
// 2/5.
TEST(PartitionStatistics, ByHand) {
  Dataset data;
  data.label = {0, 0, 1, 1, 2, 0};
  data.classes = 3;
  Partition partition;
  partition.client = {{0, 1, 2}, {4, 3}};
  const auto found = partition_statistics(data, partition, {}, false);
  expect_spread(found.records, {2, 2, 2, 3, 3, 2.5});
  expect_spread(found.labels, {2, 2, 2, 2, 2, 2});
  expect_spread(found.largest_share, {0.5, 0.5, 0.5, 2. / 3, 2. / 3, 7. / 12});
  expect_spread(found.distance, {4. / 15, 4. / 15, 4. / 15, 2. / 5, 2. / 5, 1. / 3});
  expect_spread(found.held_out, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(found.unassigned, 1U);
  const auto kept = partition_statistics(data, partition, {{5}, {}}, true);
  expect_spread(kept.held_out, {0, 0, 0, 1, 1, 0.5});
  EXPECT_EQ(kept.unassigned, 0U);
  EXPECT_EQ(partition_statistics(data, partition, {{5}, {}}, false).unassigned, 1U);
  data.classes = 0;
  EXPECT_TRUE(std::isnan(partition_statistics(data, partition, {}, false).labels.mean));
}

// Every partition of many: distances are in [0, 1], a single client is like all, and clients of one
// label each are as far away as they can be.
TEST(PartitionStatistics, BoundsForEveryPartition) {
  Stream stream({1, Purpose::data, 0, 99});
  Dataset data;
  data.classes = 10;
  for (int r = 0; r < 600; ++r) {
    data.label.push_back(static_cast<std::int32_t>(stream.below(10)));
    data.user.push_back(static_cast<std::uint32_t>(r % 6));
  }
  for (const auto& row : partitions())
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Settings settings = Settings::empty();
      const auto partition = row.make(settings)->partition(data, 6, seed);
      const auto found = partition_statistics(data, partition, {}, false);
      EXPECT_GE(found.distance.least, 0) << row.name;
      EXPECT_LE(found.distance.most, 1) << row.name;
      EXPECT_LE(found.distance.least, found.distance.lower);
      EXPECT_LE(found.distance.upper, found.distance.most);
      EXPECT_GE(found.largest_share.least, 0.1) << row.name;
      EXPECT_NEAR(found.records.mean * 6 + static_cast<double>(found.unassigned), 600, 1e-9);
    }
  const Partition whole = cut(first_numbers(600), 1);
  EXPECT_NEAR(partition_statistics(data, whole, {}, false).distance.most, 0, 1e-12);
}

}  // namespace trilemma::partition_statistics_test
