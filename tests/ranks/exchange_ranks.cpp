// The exchange (src/comm/ranks.hpp) on any number of ranks: what arrives, and what is counted.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/ranks/world.hpp"

namespace trilemma::exchange_ranks {

constexpr int clients = 7;

class Exchanges : public ::testing::TestWithParam<bool> {
 protected:
  Placement place = testing::spread(clients, GetParam());
  Ranks ranks = testing::ranks_of(place);
  bool is_server() const { return place.rank == 0; }
  std::uint64_t others() const { return static_cast<std::uint64_t>(place.size - 1); }
  // Those of the hosted clients that are among these.
  std::vector<std::uint32_t> mine(const std::vector<std::uint32_t>& all) const {
    std::vector<std::uint32_t> hosted;
    const auto first = static_cast<std::uint32_t>(place.first(place.rank));
    const auto end = first + static_cast<std::uint32_t>(place.count(place.rank));
    for (const auto client : all)
      if (client >= first && client < end) hosted.push_back(client);
    return hosted;
  }
};

TEST_P(Exchanges, MessagesComeInClientOrder) {
  for (const auto& participants :
       {std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}, std::vector<std::uint32_t>{2, 5},
        std::vector<std::uint32_t>{}}) {
    Bytes sent;
    for (const auto client : mine(participants))
      sent.insert(sent.end(), 3, static_cast<std::byte>(10 + client));
    const auto all = ranks.gather_messages(Packets::equal(sent, 3), participants).bytes();
    if (!is_server()) continue;
    ASSERT_EQ(all.size(), 3 * participants.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(all[i], static_cast<std::byte>(10 + participants[i / 3])) << i;
  }
  // The ledger is that of the whole job, on rank 0; what it hosts itself does not travel.
  const std::uint64_t own = mine({0, 1, 2, 3, 4, 5, 6}).size() + mine({2, 5}).size();
  if (is_server()) {
    EXPECT_EQ(ranks.ledger().of(Use::up), 3 * (clients + 2 - own));
  }
}

// Client c sends c bytes, none at all for client 0.
TEST_P(Exchanges, MessagesMayDifferInSize) {
  std::uint64_t travelled = 0;
  for (const auto& participants :
       {std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}, std::vector<std::uint32_t>{0, 5},
        std::vector<std::uint32_t>{}}) {
    Bytes sent;
    std::vector<std::uint64_t> ends;
    for (const auto client : mine(participants)) {
      sent.insert(sent.end(), client, static_cast<std::byte>(10 + client));
      ends.push_back(sent.size());
    }
    const Packets all = ranks.gather_messages(Packets::varying(sent, ends), participants);
    if (!is_server()) continue;
    ASSERT_EQ(all.ends().size(), participants.size());
    for (std::size_t i = 0; i < participants.size(); ++i) {
      const Bytes expected(participants[i], static_cast<std::byte>(10 + participants[i]));
      EXPECT_EQ(Bytes(all[i].begin(), all[i].end()), expected) << i;
      travelled += 8 + participants[i];
    }
    travelled -= 8 * ends.size() + sent.size();
  }
  if (is_server()) {
    EXPECT_EQ(ranks.ledger().of(Use::up), travelled);
  }
}

// In pieces of two messages, posted before anybody waits; client c sends c bytes, or 3 all.
TEST_P(Exchanges, PiecesArriveInAnyOrder) {
  std::uint32_t round = 31'998;  // the numbers of MPI's tags begin anew
  for (const bool sizes_vary : {false, true})
    for (const auto& participants :
         {std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}, std::vector<std::uint32_t>{0, 5},
          std::vector<std::uint32_t>{}}) {
      ++round;
      const auto own = mine(participants);
      const auto size = [sizes_vary](std::uint32_t client) { return sizes_vary ? client : 3; };
      for (std::size_t first = 0; first < own.size(); first += 2) {
        Bytes sent;
        std::vector<std::uint64_t> ends;
        for (std::size_t i = first; i < std::min(first + 2, own.size()); ++i) {
          sent.insert(sent.end(), size(own[i]), static_cast<std::byte>(10 + own[i]));
          ends.push_back(sent.size());
        }
        ranks.post_messages(round,
                            sizes_vary ? Packets::varying(sent, ends) : Packets::equal(sent, 3));
      }
      std::vector<int> seen(participants.size(), 0);
      const std::uint64_t before = ranks.ledger().of(Use::up);
      std::uint64_t bytes = 0;
      ranks.receive_messages(
          round, sizes_vary, 3, participants, [&](std::size_t at, const Packets& got) {
            const std::size_t count = sizes_vary ? got.ends().size() : got.bytes().size() / 3;
            for (std::size_t i = 0; i < count; ++i) {
              const std::uint32_t client = participants[at + i];
              EXPECT_EQ(Bytes(got[i].begin(), got[i].end()),
                        Bytes(size(client), static_cast<std::byte>(10 + client)));
              ++seen[at + i];
              bytes += size(client) + (sizes_vary ? 8 : 0);
            }
          });
      if (!is_server()) continue;
      EXPECT_EQ(ranks.ledger().of(Use::up) - before, bytes);
      for (std::size_t i = 0; i < participants.size(); ++i)
        EXPECT_EQ(seen[i], std::ranges::find(own, participants[i]) == own.end() ? 1 : 0);
    }
  ranks.barrier();  // the next test has the same rounds
}

// Nodes of two ranks: those that are not the first of theirs hand in to it, and the first ones of
// other nodes to rank 0.
TEST_P(Exchanges, SumsByNode) {
  ranks.form_nodes(2);
  const std::uint64_t nodes = (static_cast<std::uint64_t>(place.size) + 1) / 2;
  std::vector<double> values{1.0 + place.rank, -0.5};
  ranks.reduce_by_node(values, Use::up);
  if (is_server()) {
    const double n = place.size;
    EXPECT_EQ(values, (std::vector<double>{n * (n + 1) / 2, -0.5 * n}));
    EXPECT_EQ(ranks.ledger().of(Use::up), 16 * others());
    EXPECT_EQ(ranks.ledger().up_between_nodes(), 16 * (nodes - 1));
  }
  values = {1.0};
  ranks.reduce(values, Use::up);
  if (is_server()) {
    // Of a flat sum every rank on another node hands in to rank 0.
    const std::uint64_t elsewhere = others() > 1 ? others() - 1 : 0;
    EXPECT_EQ(ranks.ledger().up_between_nodes(), 16 * (nodes - 1) + 8 * elsewhere);
  }
}

// Numbers that all ranks agree on, position by position, and bits set on any of them.
TEST_P(Exchanges, AgreesOnTheLargestAndOnBits) {
  std::array<int, 2> values{place.rank, -place.rank};
  ranks.largest(values, Use::up);
  EXPECT_EQ(values, (std::array{place.size - 1, 0}));
  std::array<std::uint64_t, 2> bits{std::uint64_t{1} << place.rank, 8};
  ranks.unite(bits, Use::up);
  EXPECT_EQ(bits, (std::array{(std::uint64_t{1} << place.size) - 1, std::uint64_t{8}}));
  if (is_server()) {
    EXPECT_EQ(ranks.ledger().of(Use::up), (2 * 8 + 2 * 16) * others());
  }
}

// Ranks of one machine share a node.
TEST_P(Exchanges, OneMachineIsOneNode) {
  ranks.form_nodes(0);
  std::vector<double> values{1.0};
  ranks.reduce_by_node(values, Use::up);
  if (is_server()) {
    EXPECT_EQ(values[0], place.size);
    EXPECT_EQ(ranks.ledger().up_between_nodes(), 0U);
  }
}

TEST_P(Exchanges, AModelReachesEveryRank) {
  Vector x(5, is_server() ? real{3} : real{0});
  ranks.broadcast(x, Use::down);
  EXPECT_EQ(x, Vector(5, real{3}));
  if (is_server()) {
    EXPECT_EQ(ranks.ledger().of(Use::down), 5 * sizeof(real) * others());
  }
}

TEST_P(Exchanges, NumbersByClientRankAndRow) {
  std::vector<double> numbers;
  for (const auto client : mine({0, 1, 2, 3, 4, 5, 6})) {
    numbers.push_back(client);
    numbers.push_back(-static_cast<double>(client));
  }
  const auto by_client = ranks.gather_by_client(numbers, 2);
  const double rank = place.rank;
  const auto by_rank = ranks.gather_by_rank({&rank, 1}, Use::control);
  const auto texts = ranks.gather_text("rank " + std::to_string(place.rank));
  if (is_server()) {
    ASSERT_EQ(by_client.size(), 2U * clients);
    for (std::size_t i = 0; i < clients; ++i) {
      EXPECT_EQ(by_client[2 * i], static_cast<double>(i));
      EXPECT_EQ(by_client[2 * i + 1], -static_cast<double>(i));
    }
    ASSERT_EQ(by_rank.size(), static_cast<std::size_t>(place.size));
    for (int r = 0; r < place.size; ++r) {
      EXPECT_EQ(by_rank[static_cast<std::size_t>(r)], r);
      EXPECT_EQ(texts[static_cast<std::size_t>(r)], "rank " + std::to_string(r));
    }
  }
  EXPECT_EQ(ranks.smallest(10 + place.rank), 10);
  EXPECT_EQ(ranks.broadcast_number(100 + place.rank, Use::control), 100);
}

// One piece of any size a client, there and back.
TEST_P(Exchanges, PiecesOfAnySizeGoThereAndBack) {
  const auto piece = [](std::size_t client) {
    return Bytes(client * 1000, static_cast<std::byte>(client));
  };
  const auto first = static_cast<std::size_t>(place.first(place.rank));
  std::vector<Bytes> collected;
  ranks.collect([&](std::size_t slot) { return piece(first + slot); },
                [&](std::size_t client, const Bytes& bytes) {
                  EXPECT_EQ(client, collected.size());
                  collected.push_back(bytes);
                });
  if (is_server()) {
    ASSERT_EQ(collected.size(), static_cast<std::size_t>(clients));
    for (std::size_t client = 0; client < clients; ++client)
      EXPECT_EQ(collected[client], piece(client)) << client;
  }
  std::size_t received = 0;
  ranks.distribute([&](std::size_t client) { return collected[client]; },
                   [&](std::size_t slot, const Bytes& bytes) {
                     EXPECT_EQ(bytes, piece(first + slot)) << slot;
                     ++received;
                   });
  EXPECT_EQ(received, static_cast<std::size_t>(place.count(place.rank)));
}

INSTANTIATE_TEST_SUITE_P(Hosting, Exchanges, ::testing::Bool());

}  // namespace trilemma::exchange_ranks
