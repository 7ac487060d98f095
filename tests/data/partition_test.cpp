// Partitions (src/data/partition.hpp): orders of the records and their cut into clients.

#include "data/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/refusal.hpp"

namespace trilemma::partition_test {

std::vector<std::uint32_t> order(const std::string& kind, const std::vector<std::int32_t>& label,
                                 std::uint64_t seed = 1) {
  Settings settings = Settings::empty();
  Dataset data;
  data.label = label;
  return row(partitions(), kind).make(settings)->partition(data, 1, seed).client.front();
}

TEST(Partition, ContiguousKeepsTheOrderOfTheFile) {
  EXPECT_EQ(order("contiguous", {5, 4, 5, 4}), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Partition, LabelSortedIsStableAndAscending) {
  EXPECT_EQ(order("label-sorted", {1, -1, 1, -1, -1}), (std::vector<std::uint32_t>{1, 3, 4, 0, 2}));
  EXPECT_EQ(order("label-sorted", {2, 0, 1, 0}), (std::vector<std::uint32_t>{1, 3, 2, 0}));
}

TEST(Partition, ShuffledIsAPermutationOfTheSeed) {
  const std::vector<std::int32_t> label(500, 1);
  const auto first = order("shuffled", label, 7);
  EXPECT_EQ(first, order("shuffled", label, 7));
  EXPECT_NE(first, order("shuffled", label, 8));
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> all(500);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(sorted, all);
  EXPECT_NE(first, all);
}

// Every record falls on every place equally often: 24 orders of 4 records over 24,000 seeds, each
// 1000 +- 31; six standard deviations, failure probability below 1e-7 for fresh seeds.
TEST(Partition, ShuffleIsUniform) {
  const std::vector<std::int32_t> label(4, 1);
  std::vector<int> count(256);
  for (std::uint64_t seed = 0; seed < 24'000; ++seed) {
    const auto o = order("shuffled", label, seed);
    ++count[o[0] + 4 * o[1] + 16 * o[2] + 64 * o[3]];
  }
  int orders = 0;
  for (const int c : count) {
    if (c == 0) continue;
    ++orders;
    EXPECT_NEAR(c, 1000, 6 * 31);
  }
  EXPECT_EQ(orders, 24);
}

TEST(Partition, CutGivesTheFirstClientsTheRemainder) {
  std::vector<std::uint32_t> records(11);
  std::iota(records.begin(), records.end(), 0U);
  const Partition p = cut(records, 3);
  ASSERT_EQ(p.client.size(), 3U);
  EXPECT_EQ(p.client[0], (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(p.client[1], (std::vector<std::uint32_t>{4, 5, 6, 7}));
  EXPECT_EQ(p.client[2], (std::vector<std::uint32_t>{8, 9, 10}));
  testing::expect_parts(p.description, {"3 clients", "2 with 4", "1 with 3"});
}

TEST(Partition, SaysHowManyRecordsClientsHave) {
  Settings settings = Settings::empty();
  Dataset data;
  data.label = {1, 2, 1, 2, 1, 2};
  data.user = {0, 0, 0, 0, 0, 0};
  const auto said = [&](const char* kind, std::size_t clients) {
    return row(partitions(), kind).make(settings)->partition(data, clients, 1).description;
  };
  for (const char* kind : {"contiguous", "natural"})
    testing::expect_parts(said(kind, 1) + "!", {"1 client with 6 records!"});
  testing::expect_parts(said("contiguous", 2), {"2 clients with 3 records each"});
  testing::expect_parts(said("contiguous", 4), {"4 clients: 2 with 2 records, 2 with 1"});
}

TEST(Partition, CutCoversEveryRecordOnceForAllSizes) {
  for (std::uint32_t size = 1; size < 30; ++size)
    for (std::size_t clients = 1; clients <= size; ++clients) {
      std::vector<std::uint32_t> records(size);
      std::iota(records.begin(), records.end(), 0U);
      std::vector<std::uint32_t> joined;
      for (const auto& client : cut(records, clients).client) {
        EXPECT_GE(client.size(), size / clients);
        EXPECT_LE(client.size(), size / clients + 1);
        joined.insert(joined.end(), client.begin(), client.end());
      }
      EXPECT_EQ(joined, records);
    }
}

TEST(Partition, RefusesMoreClientsThanRecords) {
  testing::expect_parts(testing::refusal([] { cut({0, 1}, 3); }), {"clients = 3", "2 records"});
}

}  // namespace trilemma::partition_test
