// Many pieces in a message (src/comm/message_batcher.hpp).

#include "comm/message_batcher.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace trilemma::message_batcher_test {

// Sizes of the messages in which the pieces travel; they must arrive as they were.
std::vector<std::size_t> message_sizes(const std::vector<Bytes>& pieces) {
  std::deque<Bytes> messages;
  MessageBatcher out([&](Bytes& bytes) { messages.push_back(bytes); });
  for (const Bytes& piece : pieces) out.put(piece);
  out.flush();
  std::vector<std::size_t> sizes;
  for (const Bytes& message : messages) sizes.push_back(message.size());
  MessageBatcher in([&] {
    Bytes first = messages.front();
    messages.pop_front();
    return first;
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) EXPECT_EQ(in.next(), pieces[i]) << i;
  EXPECT_TRUE(messages.empty());
  return sizes;
}

TEST(MessageBatcher, PiecesWithoutContentShareAMessage) {
  EXPECT_EQ(message_sizes(std::vector<Bytes>(1000)), std::vector<std::size_t>{8000});
}

TEST(MessageBatcher, PiecesOfAnySizeArriveInOrder) {
  const Bytes small(3, std::byte{1});
  const Bytes large(std::size_t{9} << 20U, std::byte{2});
  EXPECT_EQ(message_sizes({small, {}, large, {}, small}),
            (std::vector<std::size_t>{8 + 3 + 8 + 8 + large.size(), 8 + 8 + 3}));
}

TEST(MessageBatcher, NothingIsNoMessage) { EXPECT_TRUE(message_sizes({}).empty()); }

}  // namespace trilemma::message_batcher_test
