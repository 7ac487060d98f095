// Messages that travel while their senders go on (src/comm/async_channel.hpp), on any number of
// ranks: contents, order, tags, and what rank 0 books.

#include <gtest/gtest.h>

#include "comm/async_channel.hpp"
#include "tests/ranks/world.hpp"

namespace trilemma::async_channel_ranks {

Bytes bytes_with(std::size_t size, int value) { return Bytes(size, static_cast<std::byte>(value)); }

// Rank r sends r bytes under tag 20, then r + 100 bytes in two parts under tag 21, then 7 bytes
// under tag 20.
TEST(AsyncChannels, KeepOrderTagsAndParts) {
  const Placement place = testing::world();
  if (place.size == 1) GTEST_SKIP() << "nothing travels";
  AsyncChannel channel(Communicator::world());
  Ledger ledger;
  const int r = place.rank;
  if (r != 0) {
    const Bytes head = bytes_with(100, 50 + r);
    const Bytes body = bytes_with(static_cast<std::size_t>(r), r);
    channel.send(0, 20, {{body, Use::up}}, ledger);
    channel.send(0, 21, {{head, Use::control}, {body, Use::down}}, ledger);
    channel.send(0, 20, {{bytes_with(7, 7), Use::up}}, ledger);
    channel.finish();
    for (const Use use : {Use::up, Use::down, Use::control}) EXPECT_EQ(ledger.of(use), 0U);
    return;
  }
  std::uint64_t up_bytes = 0;
  for (int i = 1; i < place.size; ++i) {
    const auto envelope = channel.wait(21);
    ASSERT_EQ(envelope.bytes, 100U + static_cast<std::size_t>(envelope.from));
    Bytes both(envelope.bytes);
    channel.receive(both, {ledger, Use::down});
    EXPECT_EQ(both.front(), static_cast<std::byte>(50 + envelope.from));
    EXPECT_EQ(both.back(), static_cast<std::byte>(envelope.from));
  }
  for (int from = 1; from < place.size; ++from)
    for (const std::size_t expected : {static_cast<std::size_t>(from), std::size_t{7}}) {
      const auto envelope = channel.wait(20, from);
      EXPECT_EQ(envelope.from, from);
      ASSERT_EQ(envelope.bytes, expected);
      Bytes bytes(envelope.bytes);
      channel.receive(bytes, {ledger, Use::up});
      EXPECT_EQ(bytes, bytes_with(expected, static_cast<int>(expected)));
      up_bytes += expected;
    }
  EXPECT_FALSE(channel.poll(20).has_value());
  EXPECT_EQ(ledger.of(Use::up), up_bytes);
  const auto others = static_cast<std::uint64_t>(place.size - 1);
  EXPECT_EQ(ledger.of(Use::down), 100 * others + others * (others + 1) / 2);
  EXPECT_EQ(ledger.of(Use::control), 0U);
}

// A letter of 4 bytes with a model of 1,000 from rank 0 to each other rank, answered by 12 bytes.
TEST(AsyncChannels, LettersAreBookedAtRankZeroByPart) {
  const Placement place = testing::spread(4);
  if (place.size == 1) GTEST_SKIP() << "nothing travels";
  Ranks ranks = testing::ranks_of(place);
  const Bytes letter = bytes_with(4, 1), model = bytes_with(1000, 2), answer = bytes_with(12, 3);
  const auto next = [&ranks](Bytes& bytes) {
    int from = -1;
    while (from < 0) from = ranks.next_letter(bytes);
    return from;
  };
  Bytes bytes;
  if (place.rank == 0) {
    for (int to = 1; to < place.size; ++to) ranks.send_letter(to, letter, model);
    int senders = 0;
    for (int i = 1; i < place.size; ++i) {
      senders += next(bytes);
      EXPECT_EQ(bytes, answer);
    }
    EXPECT_EQ(senders, place.size * (place.size - 1) / 2);
  } else {
    EXPECT_EQ(next(bytes), 0);
    ASSERT_EQ(bytes.size(), 1004U);
    EXPECT_EQ(bytes.front(), std::byte{1});
    EXPECT_EQ(bytes.back(), std::byte{2});
    ranks.send_letter(0, answer, {});
  }
  ranks.finish_letters();
  const std::uint64_t others = place.rank == 0 ? static_cast<std::uint64_t>(place.size - 1) : 0;
  EXPECT_EQ(ranks.ledger().of(Use::control), 16 * others);
  EXPECT_EQ(ranks.ledger().of(Use::down), 1000 * others);
  EXPECT_EQ(ranks.ledger().of(Use::up), 0U);
  ranks.barrier();
}

}  // namespace trilemma::async_channel_ranks
