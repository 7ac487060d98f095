// Encoding and decoding (src/wire/codec.cpp): bytes computed by hand, round trips over all layouts,
// the quick path of bare values against the bit packer, refusal of bytes that do not fit.

#include <gtest/gtest.h>

#include <bit>

#include "core/check.hpp"
#include "numeric/random.hpp"
#include "wire/layout.hpp"

namespace trilemma::codec_test {

std::vector<unsigned> encoded(const Layout& layout, const Message& message) {
  Bytes bytes(layout.bytes(), std::byte{0xAA});  // old content must not show through
  encode(layout, message, bytes);
  std::vector<unsigned> out;
  for (const std::byte byte : bytes) out.push_back(std::to_integer<unsigned>(byte));
  return out;
}

// Float 1 is 3F800000, -2 is C0000000, low byte first.
TEST(Codec, BareValuesByHand) {
  const Layout layout{.dimension = 2, .count = 2};
  const Message message{.scalar = {}, .index = {}, .value = {1, -2}, .level = {}};
  EXPECT_EQ(encoded(layout, message),
            (std::vector<unsigned>{0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0}));
}

TEST(Codec, WideValuesByHand) {
  const Layout layout{.dimension = 1, .count = 1, .value = ValueFormat::float64};
  const Message message{.scalar = {}, .index = {}, .value = {-2}, .level = {}};
  EXPECT_EQ(encoded(layout, message), (std::vector<unsigned>{0, 0, 0, 0, 0, 0, 0, 0xC0}));
}

// Two indices of 3 bits: 4 + 1 * 8 = 0C in bits 0-5; then 3F800000 from bit 6 and C0000000 from bit
// 38, whose only ones are bits 68 and 69. 70 bits, 9 bytes.
TEST(Codec, ExplicitIndicesByHand) {
  const Layout layout{.dimension = 5, .count = 2, .index = IndexCode::explicit_};
  const Message message{.scalar = {}, .index = {4, 1}, .value = {1, -2}, .level = {}};
  EXPECT_EQ(layout.payload_bits(), 70U);
  EXPECT_EQ(encoded(layout, message),
            (std::vector<unsigned>{0x0C, 0x00, 0x00, 0xE0, 0x0F, 0x00, 0x00, 0x00, 0x30}));
}

// The scalar 1, then levels 5 + 2 * 8 + 7 * 64 = 1D5. 41 bits, 6 bytes.
TEST(Codec, ScalarAndLevelsByHand) {
  const Layout layout{.dimension = 3, .count = 3, .scalars = 1, .level_bits = 3};
  const Message message{.scalar = {1}, .index = {}, .value = {}, .level = {5, 2, 7}};
  EXPECT_EQ(layout.payload_bits(), 41U);
  EXPECT_EQ(encoded(layout, message), (std::vector<unsigned>{0x00, 0x00, 0x80, 0x3F, 0xD5, 0x01}));
}

Message random_message(const Layout& layout, Stream& stream) {
  Message m;
  auto value = [&] { return static_cast<real>(static_cast<float>(stream.uniform() - 0.5)); };
  for (std::size_t i = 0; i < layout.scalars; ++i) m.scalar.push_back(value());
  for (std::size_t i = 0; i < layout.count; ++i) {
    if (layout.index == IndexCode::explicit_)
      m.index.push_back(stream.below(static_cast<std::uint32_t>(layout.dimension)));
    if (layout.level_bits == 0)
      m.value.push_back(value());
    else
      m.level.push_back(stream.word() >> (32 - layout.level_bits));
  }
  return m;
}

TEST(Codec, RoundTripsOverAllLayouts) {
  Stream stream({3, Purpose::data, 0, 0});
  for (const auto index : {IndexCode::all, IndexCode::keyed, IndexCode::explicit_})
    for (const auto format : {ValueFormat::float32, ValueFormat::float64})
      for (const unsigned level_bits : {0U, 1U, 3U, 8U, 13U, 32U})
        for (const std::size_t scalars : {0U, 1U, 2U})
          for (const std::size_t dimension : {1U, 2U, 7U, 64U, 1000U}) {
            Layout layout{.dimension = dimension,
                          .count = index == IndexCode::all ? dimension : (dimension + 2) / 3,
                          .index = index,
                          .scalars = scalars,
                          .level_bits = level_bits,
                          .value = format};
            const Message sent = random_message(layout, stream);
            Bytes bytes(layout.bytes());
            encode(layout, sent, bytes);
            Message got = random_message(layout, stream);  // old content must go
            decode(layout, bytes, got);
            ASSERT_EQ(got.scalar, sent.scalar);
            ASSERT_EQ(got.index, sent.index);
            ASSERT_EQ(got.value, sent.value);
            ASSERT_EQ(got.level, sent.level);
          }
}

// Values through the quick path are the same bytes as their bits through the packer.
TEST(Codec, BarePathEqualsPackedPath) {
  const Layout bare{.dimension = 50, .count = 50};
  const Layout packed{.dimension = 50, .count = 50, .level_bits = 32};
  Stream stream({4, Purpose::data, 0, 0});
  const Message values = random_message(bare, stream);
  Message levels;
  for (const real v : values.value)
    levels.level.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(v)));
  EXPECT_EQ(encoded(bare, values), encoded(packed, levels));
}

TEST(Codec, ValuesAreRoundedToTheWireOnce) {
  const real third = real{1} / real{3};
  const Message message{.scalar = {}, .index = {}, .value = {third}, .level = {}};
  for (const auto format : {ValueFormat::float32, ValueFormat::float64}) {
    const Layout layout{.dimension = 1, .count = 1, .value = format};
    Bytes bytes(layout.bytes());
    encode(layout, message, bytes);
    Message got;
    decode(layout, bytes, got);
    Vector expected{third};
    round_to(format, expected);
    EXPECT_EQ(got.value, expected);
  }
}

TEST(Codec, RefusesAnotherSize) {
  const Layout layout{.dimension = 5, .count = 2, .index = IndexCode::explicit_};
  Message message;
  for (const std::size_t size : {0U, 8U, 10U}) {
    const Bytes bytes(size);
    EXPECT_THROW(decode(layout, bytes, message), RunFailure) << size;
  }
}

TEST(Codec, RefusesIndicesOutOfRange) {
  const Layout layout{.dimension = 5, .count = 1, .index = IndexCode::explicit_};
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

// 33 bits an entry: every number of entries has a size of its own.
TEST(Codec, MessagesMayDifferInSize) {
  const Layout layout{.dimension = 2, .count = 9, .index = IndexCode::explicit_, .varies = true};
  for (std::size_t entries = 0; entries <= 9; ++entries) {
    Message message;
    for (std::size_t i = 0; i < entries; ++i) {
      message.index.push_back(i % 2);
      message.value.push_back(static_cast<real>(i) - 3);
    }
    Bytes bytes(layout.bytes(entries));
    EXPECT_EQ(layout.payload_bits(entries), 33 * entries);
    encode(layout, message, bytes);
    Message got;
    decode(layout, bytes, got);
    EXPECT_EQ(got.value, message.value);
    EXPECT_EQ(got.index, message.index);
    Bytes longer = bytes;
    longer.resize(bytes.size() + (entries == 9 ? 5 : 1));
    EXPECT_THROW(decode(layout, longer, got), RunFailure) << entries;
  }
}

}  // namespace trilemma::codec_test
