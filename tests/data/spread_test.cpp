// Partitions that look at labels or users (src/data/shards.cpp, dirichlet.cpp, natural.cpp; spec
// experiments.md 3.2 and 6.1).

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/partition.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::partitioned_data_test {

// `each` records of each of `labels` labels, in turn.
Dataset labelled(std::uint32_t labels, std::uint32_t each) {
  Dataset data;
  for (std::uint32_t r = 0; r < labels * each; ++r)
    data.label.push_back(static_cast<std::int32_t>(r % labels));
  return data;
}

Partition spread(const std::string& kind, const std::string& toml, const Dataset& data,
                 std::size_t clients, std::uint64_t seed = 1) {
  Settings settings = Settings::from_text(toml, "partition.toml");
  return row(partitions(), kind).make(settings)->partition(data, clients, seed);
}

std::size_t labels_of(const Dataset& data, const std::vector<std::uint32_t>& records) {
  std::set<std::int32_t> found;
  for (const auto r : records) found.insert(data.label[r]);
  return found.size();
}

// Every record at most once; how many in all.
std::size_t total(const Partition& p) {
  std::set<std::uint32_t> seen;
  std::size_t count = 0;
  for (const auto& records : p.client) {
    seen.insert(records.begin(), records.end());
    count += records.size();
  }
  EXPECT_EQ(seen.size(), count);
  return count;
}

TEST(Shards, FiveOfOneLabelEach) {
  const Dataset data = labelled(10, 200);  // 2000 records, 40 clients: 200 shards of 10
  const Partition p = spread("shards", "shards = 5", data, 40);
  EXPECT_EQ(total(p), 2000U);
  std::set<std::size_t> numbers;
  for (const auto& records : p.client) {
    EXPECT_EQ(records.size(), 50U);
    numbers.insert(labels_of(data, records));
    EXPECT_LE(labels_of(data, records), 5U);
    for (std::size_t first = 0; first < 50; first += 10)
      EXPECT_EQ(labels_of(data, {records.begin() + static_cast<std::ptrdiff_t>(first),
                                 records.begin() + static_cast<std::ptrdiff_t>(first) + 10}),
                1U);
  }
  EXPECT_GT(numbers.size(), 1U);  // dealt at random
  EXPECT_NE(p.client, spread("shards", "shards = 5", data, 40, 2).client);
  EXPECT_EQ(p.client, spread("shards", "shards = 5", data, 40).client);
}

// 3 labels of 7 records, shards of 2: a shard across labels is left out where it must be pure.
TEST(Shards, PureOnesLeaveTheRestOfALabelOut) {
  const Dataset data = labelled(3, 7);
  const Partition p = spread("shards", "shards = 3\npure = true", data, 3);
  EXPECT_EQ(total(p), 18U);
  testing::expect_parts(p.description, {"3 shards of 2", "3 records left out"});
  testing::expect_parts(
      testing::refusal([&] { spread("shards", "shards = 11\npure = true", labelled(4, 11), 2); }),
      {"fill", "shards of 2", "clients"});
  testing::expect_parts(testing::refusal([&] { spread("shards", "shards = 9", data, 3); }),
                        {"27 shards", "21 records"});
}

TEST(Shards, DistinctOnesGiveTwoClassesEach) {
  const Dataset data = labelled(10, 600);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Partition p = spread("shards", "shards = 2\ndistinct = true", data, 100, seed);
    EXPECT_EQ(total(p), 6000U);
    for (const auto& records : p.client) EXPECT_EQ(labels_of(data, records), 2U);
  }
  testing::expect_parts(testing::refusal([&] {
                          spread("shards", "shards = 3\ndistinct = true", labelled(2, 90), 5);
                        }),
                        {"partition.distinct", "3 shards"});
}

TEST(Dirichlet, CoversEveryRecordAndMixesWithAlpha) {
  const Dataset data = labelled(10, 300);
  for (const char* alpha : {"0.01", "0.5", "1000"}) {
    const Partition p = spread("dirichlet", std::string("alpha = ") + alpha, data, 30);
    EXPECT_EQ(total(p), 3000U);
    for (const auto& records : p.client) EXPECT_FALSE(records.empty());
  }
  // All clients alike, about 10 of each label; or nearly one owner for each label.
  const Partition even = spread("dirichlet", "alpha = 1e4", data, 30);
  for (const auto& records : even.client) EXPECT_NEAR(records.size(), 100, 15);
  const Partition odd = spread("dirichlet", "alpha = 0.01", data, 30);
  std::size_t most = 0;
  for (const auto& records : odd.client) most = std::max(most, records.size());
  EXPECT_GT(most, 290U);
  EXPECT_EQ(odd.client, spread("dirichlet", "alpha = 0.01", data, 30).client);
}

TEST(Natural, UsersAreTheClients) {
  Dataset data = labelled(2, 3);
  testing::expect_parts(testing::refusal([&] { spread("natural", "", data, 2); }),
                        {"natural", "no users"});
  data.user = {2, 0, 1, 0, 2, 2};
  EXPECT_EQ(spread("natural", "", data, 3).client,
            (std::vector<std::vector<std::uint32_t>>{{1, 3}, {2}, {0, 4, 5}}));
  testing::expect_parts(testing::refusal([&] { spread("natural", "", data, 4); }),
                        {"clients = 4", "clients = 3"});
  data.user = {2, 0, 0, 0, 2, 2};
  testing::expect_parts(testing::refusal([&] { spread("natural", "", data, 3); }), {"user 1"});
}

}  // namespace trilemma::partitioned_data_test
