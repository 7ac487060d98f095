// Which rank hosts which clients (src/comm/placement.hpp): consecutive blocks
// over the hosting ranks that cover every client once, in order, for any numbers.

#include "comm/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "comm/ranks.hpp"
#include "numeric/random.hpp"

namespace trilemma::placement_test {

TEST(Placement, BlocksCoverTheClientsInOrder) {
  for (int size = 1; size <= 12; ++size)
    for (int clients = 1; clients <= 25; ++clients)
      for (const bool server_hosts : {false, true}) {
        const Placement p{
            .rank = 0, .size = size, .clients = clients, .server_hosts = server_hosts};
        int next = 0;
        int fewest = clients;
        int most = 0;
        for (int rank = 0; rank < size; ++rank) {
          ASSERT_EQ(p.first(rank), rank < p.first_host() ? 0 : next) << size << ' ' << clients;
          next += p.count(rank);
          if (rank < p.first_host()) continue;
          fewest = std::min(fewest, p.count(rank));
          most = std::max(most, p.count(rank));
        }
        ASSERT_EQ(next, clients);
        ASSERT_LE(most - fewest, 1);
      }
}

TEST(Placement, RankZeroHostsOnlyWhereItShould) {
  EXPECT_EQ((Placement{.size = 1, .clients = 3}.count(0)), 3);
  EXPECT_EQ((Placement{.size = 2, .clients = 3}.count(0)), 0);
  EXPECT_EQ((Placement{.size = 2, .clients = 3}.count(1)), 3);
  EXPECT_EQ((Placement{.size = 2, .clients = 3, .server_hosts = true}.count(0)), 2);
}

TEST(Placement, OneClientPerRankAndIdleRanks) {
  const Placement exact{.size = 4, .clients = 3};
  for (int rank = 1; rank < 4; ++rank) EXPECT_EQ(exact.count(rank), 1);
  const Placement idle{.size = 6, .clients = 2};
  EXPECT_EQ(idle.count(2), 1);
  EXPECT_EQ(idle.count(3), 0);
  EXPECT_EQ(idle.first(3), 2);
}

// The fewest records of the fullest host, over all ways to cut the clients into blocks.
std::size_t best_most(std::span<const std::size_t> records, int hosts) {
  if (hosts == 1) return std::accumulate(records.begin(), records.end(), std::size_t{0});
  std::size_t best = SIZE_MAX;
  std::size_t own = 0;
  for (std::size_t taken = 0; taken <= records.size(); ++taken) {
    best = std::min(best, std::max(own, best_most(records.subspan(taken), hosts - 1)));
    if (taken < records.size()) own += records[taken];
  }
  return best;
}

TEST(Placement, BlocksByRecordsAreAsEvenAsBlocksCanBe) {
  EXPECT_EQ(blocks_by_records(std::vector<std::size_t>{9, 1, 1, 1, 6}, 3),
            (std::vector<int>{0, 1, 4, 5}));
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Stream stream({1, Purpose::data, seed, 99});
    std::vector<std::size_t> records(1 + seed % 9);
    for (auto& count : records) count = 1 + stream.below(seed % 2 == 0 ? 10 : 1000);
    for (int hosts = 1; hosts <= 5; ++hosts) {
      Placement p{.size = hosts + 1, .clients = static_cast<int>(records.size())};
      p.blocks = blocks_by_records(records, hosts);
      ASSERT_EQ(p.blocks.size(), static_cast<std::size_t>(hosts) + 1);
      EXPECT_EQ(p.count(0), 0);
      int next = 0;
      for (int rank = 1; rank <= hosts; ++rank) {
        EXPECT_EQ(p.first(rank), next);
        next += p.count(rank);
        if (p.clients >= hosts) {
          EXPECT_GE(p.count(rank), 1) << seed << ' ' << hosts;
        }
      }
      EXPECT_EQ(next, p.clients);
      const auto hosted = records_by_host(p, records);
      EXPECT_EQ(*std::max_element(hosted.begin(), hosted.end()), best_most(records, hosts));
    }
  }
}

TEST(RanksWithoutMpi, HandNothingOver) {
  Ranks ranks(Placement{});
  const Bytes bytes{std::byte{1}, std::byte{2}};
  const auto all = ranks.gather_messages(Packets::equal(bytes, 1), {}).bytes();
  EXPECT_EQ(all.data(), bytes.data());
  EXPECT_EQ(all.size(), 2U);
  const std::vector<double> numbers{1, 2, 3};
  EXPECT_EQ(ranks.gather_by_rank(numbers, Use::control), numbers);
  EXPECT_EQ(ranks.gather_by_client(numbers, 3).size(), 3U);
  EXPECT_EQ(ranks.gather_text("x"), std::vector<std::string>{"x"});
  EXPECT_EQ(ranks.broadcast_number(7, Use::control), 7);
  EXPECT_EQ(ranks.smallest(-2), -2);
  Vector x{1};
  ranks.broadcast(x, Use::down);
  ranks.barrier();
  EXPECT_EQ(ranks.ledger().of(Use::up), 0U);
  EXPECT_EQ(ranks.ledger().of(Use::down), 0U);
  EXPECT_EQ(ranks.ledger().of(Use::evaluation), 0U);
}

}  // namespace trilemma::placement_test
