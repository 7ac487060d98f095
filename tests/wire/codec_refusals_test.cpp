// Bytes that are no message are refused (src/wire/codec.cpp).

#include <gtest/gtest.h>

#include "base/check.hpp"
#include "tests/support/layouts.hpp"

namespace trilemma::codec_refusals_test {

TEST(CodecRefusals, AnotherSize) {
  const Layout layout{.dimension = 5, .count = 2, .index = IndexCode::fixed};
  Message message;
  for (const std::size_t size : {0U, 8U, 10U}) {
    const Bytes bytes(size);
    EXPECT_THROW(decode(layout, bytes, message), RunFailure) << size;
  }
}

TEST(CodecRefusals, IndicesOutOfRange) {
  const Layout layout{.dimension = 5, .count = 1, .index = IndexCode::fixed};
  Bytes bytes(layout.bytes());
  Message message;
  for (unsigned index = 0; index < 8; ++index) {
    bytes[0] = static_cast<std::byte>(index);
    if (index < 5) {
      decode(layout, bytes, message);
      EXPECT_EQ(message.index[0], index);
    } else {
      EXPECT_THROW(decode(layout, bytes, message), RunFailure) << index;
    }
  }
}

}  // namespace trilemma::codec_refusals_test
