// Encoding and decoding (src/wire/codec.cpp): bytes computed by hand, round trips over all layouts,
// the quick path of bare values against the bit packer, refusal of bytes that do not fit.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "base/check.hpp"
#include "compress/rounding.hpp"
#include "tests/support/layouts.hpp"

namespace trilemma::codec_test {

Bytes bytes_of(const Layout& layout, const Message& message) {
  const Measure measured = measure(layout, message);
  Bytes bytes(measured.bytes(), std::byte{0xAA});  // old content must not show through
  encode(layout, message, measured, bytes);
  return bytes;
}

std::vector<unsigned> encoded(const Layout& layout, const Message& message) {
  std::vector<unsigned> out;
  for (const std::byte byte : bytes_of(layout, message))
    out.push_back(std::to_integer<unsigned>(byte));
  return out;
}

Message of_values(Vector values, std::vector<std::uint32_t> index = {}) {
  return {.scalar = {}, .index = std::move(index), .value = std::move(values), .level = {}};
}
Message of_levels(std::vector<std::int32_t> levels, Vector scalar = {}) {
  return {.scalar = std::move(scalar), .index = {}, .value = {}, .level = std::move(levels)};
}

// Float 1 is 3F800000, -2 is C0000000, low byte first.
TEST(Codec, BareValuesByHand) {
  const Layout layout{.dimension = 2, .count = 2};
  EXPECT_EQ(encoded(layout, of_values({1, -2})),
            (std::vector<unsigned>{0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0}));
}

TEST(Codec, WideValuesByHand) {
  const Layout layout{.dimension = 1, .count = 1, .value = ValueFormat::float64};
  EXPECT_EQ(encoded(layout, of_values({-2})), (std::vector<unsigned>{0, 0, 0, 0, 0, 0, 0, 0xC0}));
}

// 3F80 and C000. Natural: 127 and 256 + 128, 9 bits each. float16: the largest value, 2, is 2^15
// once scaled, so that the exponent is 1 - 15 = -14, which is 112 above -126; 1 is 2^14 = 7400, -2
// is -2^15 = F800.
TEST(Codec, NarrowValuesByHand) {
  Layout layout{.dimension = 2, .count = 2, .value = ValueFormat::bfloat16};
  EXPECT_EQ(encoded(layout, of_values({1, -2})), (std::vector<unsigned>{0x80, 0x3F, 0x00, 0xC0}));
  layout.value = ValueFormat::natural;
  EXPECT_EQ(encoded(layout, of_values({1, -2})), (std::vector<unsigned>{0x7F, 0x00, 0x03}));
  layout.value = ValueFormat::float16;
  EXPECT_EQ(encoded(layout, of_values({1, -2})),
            (std::vector<unsigned>{112, 0x00, 0x74, 0x00, 0xF8}));
}

// Two indices of 3 bits: 1 + 4 * 8 = 21 in bits 0-5; then 3F800000 from bit 6 and C0000000 from bit
// 38, whose only ones are bits 68 and 69. 70 bits, 9 bytes.
TEST(Codec, FixedIndicesByHand) {
  const Layout layout{.dimension = 5, .count = 2, .index = IndexCode::fixed};
  EXPECT_EQ(layout.most_bits(), 70U);
  EXPECT_EQ(encoded(layout, of_values({1, -2}, {1, 4})),
            (std::vector<unsigned>{0x21, 0x00, 0x00, 0xE0, 0x0F, 0x00, 0x00, 0x00, 0x30}));
}

// Gaps 1, 2 and 11 in quotients by 4 of 0, 0, 2 and rests 1, 2, 3: parameter 2 in 5 bits (01000),
// then 0 10, 0 01 and 110 11, lowest bit first: 16 bits. Parameter 1 takes 17.
TEST(Codec, RiceIndicesByHand) {
  const Layout layout{
      .dimension = 40, .count = 3, .index = IndexCode::rice, .levels = 1, .level = LevelCode::sign};
  Message message = of_levels({1, -1, 1});
  message.index = {1, 4, 16};
  EXPECT_EQ(measure(layout, message).bits, 16U + 3U);
  EXPECT_EQ(measure(layout, message).rice, 2U);
  // 01000 010 | 001 110 11 | 010
  EXPECT_EQ(encoded(layout, message), (std::vector<unsigned>{0b01000010, 0b11011100, 0b010}));
}

TEST(Codec, BitmapByHand) {
  const Layout layout{.dimension = 10,
                      .count = 2,
                      .index = IndexCode::bitmap,
                      .levels = 1,
                      .level = LevelCode::sign};
  Message message = of_levels({-1, 1});
  message.index = {1, 9};
  EXPECT_EQ(encoded(layout, message), (std::vector<unsigned>{0b00000010, 0b0110}));
}

// Five of eight coordinates: bitmap 8 bits, fixed 15, Rice 5 + 5 + 3 gaps. One of 1000: Rice.
TEST(Codec, SmallestTakesTheSmallest) {
  Layout layout{.dimension = 8, .count = 5, .index = IndexCode::smallest};
  Message message = of_values({1, 1, 1, 1, 1}, {0, 2, 3, 5, 7});
  EXPECT_EQ(measure(layout, message).index, IndexCode::bitmap);
  EXPECT_EQ(measure(layout, message).bits, 2U + 8U + 5U * 32U);
  layout = {.dimension = 1000, .count = 1, .index = IndexCode::smallest};
  message = of_values({1}, {900});
  EXPECT_EQ(measure(layout, message).index, IndexCode::fixed);
  layout = {.dimension = 1000, .count = 4, .index = IndexCode::smallest};
  message = of_values({1, 1, 1, 1}, {3, 5, 8, 11});
  EXPECT_EQ(measure(layout, message).index, IndexCode::rice);
}

// The scalar 1, then levels -3, 0, 3 as 0 + 3 * 8 + 6 * 64 = 198. 41 bits, 6 bytes.
TEST(Codec, ScalarAndLevelsByHand) {
  const Layout layout{.dimension = 3, .count = 3, .scalars = 1, .levels = 3};
  EXPECT_EQ(layout.most_bits(), 41U);
  EXPECT_EQ(encoded(layout, of_levels({-3, 0, 3}, {1})),
            (std::vector<unsigned>{0x00, 0x00, 0x80, 0x3F, 0x98, 0x01}));
}

// 0 is 0; -1 is gamma(2) = 1 0 0 and the sign 1; 2 is gamma(3) = 1 0 1 and 0.
TEST(Codec, GammaLevelsByHand) {
  const Layout layout{.dimension = 3, .count = 3, .levels = 2, .level = LevelCode::gamma};
  EXPECT_EQ(measure(layout, of_levels({0, -1, 2})).bits, 9U);
  EXPECT_EQ(encoded(layout, of_levels({0, -1, 2})), (std::vector<unsigned>{0b10110010, 0}));
}

// One level that is not 0, in 3 bits; gamma(3) = 101 for a gap of 2, gamma(2) = 100, sign 1.
TEST(Codec, RunsOfLevelsByHand) {
  const Layout layout{.dimension = 4, .count = 4, .levels = 2, .level = LevelCode::runs};
  EXPECT_EQ(measure(layout, of_levels({0, 0, -2, 0})).bits, 10U);
  EXPECT_EQ(encoded(layout, of_levels({0, 0, -2, 0})), (std::vector<unsigned>{0b01101001, 0b10}));
}

// Digits 2, 0, 1, 1, 1 to base 3: 2 + 9 + 27 + 81 = 119; then 0: 1.
TEST(Codec, TritsByHand) {
  const Layout layout{.dimension = 6, .count = 6, .levels = 1, .level = LevelCode::trits};
  EXPECT_EQ(encoded(layout, of_levels({1, -1, 0, 0, 0, 0})), (std::vector<unsigned>{119, 1}));
}

// Sizes 0, 0, 1, 0 have shares 3 * 32766 / 4 + 1 = 24575 and 32766 / 4 + 1 = 8192 of 2^15, rounded
// down, and the one that is left goes to the first. So 2 bits for the largest size, 29 for the
// gamma code of 24576 + 1, 64 for the state and one sign.
TEST(Codec, EntropyCoderByHand) {
  const Layout layout{.dimension = 4, .count = 4, .levels = 3, .level = LevelCode::rans};
  const Message message = of_levels({0, 0, -1, 0});
  EXPECT_EQ(measure(layout, message).bits, 2U + 29U + 64U + 1U);
  // All alike: nothing but the state, and signs.
  EXPECT_EQ(measure(layout, of_levels({0, 0, 0, 0})).bits, 2U + 64U);
  EXPECT_EQ(measure(layout, of_levels({1, -1, 1, 1})).bits, 2U + 1U + 64U + 4U);
}

// Levels of a normal vector, from those of which one in eight is not 0 to nearly flat ones.
TEST(Codec, EntropyCoderIsNearTheEntropy) {
  constexpr std::size_t d = 100'000;
  for (const double step : {2.5, 1.0, 0.1, 0.02}) {
    std::vector<double> z(d);
    normals({9, Purpose::data}, 0, z);
    Message message;
    std::map<std::int32_t, double> count;
    for (const double value : z) {
      message.level.push_back(static_cast<std::int32_t>(std::lround(value / step)));
      ++count[message.level.back()];
    }
    double entropy = 0;
    for (const auto& [level, number] : count) entropy -= number * std::log2(number / d);
    const Layout layout{.dimension = d, .count = d, .levels = 1000, .level = LevelCode::rans};
    const auto bits = static_cast<double>(measure(layout, message).bits);
    EXPECT_GT(bits, 0.999 * entropy) << step;  // signs count a bit each, whatever they are
    EXPECT_LT(bits, 1.02 * entropy + 64) << step;
  }
}

void expect_equal(const Message& got, const Message& sent) {
  ASSERT_EQ(got.scalar, sent.scalar);
  ASSERT_EQ(got.index, sent.index);
  ASSERT_EQ(got.value, sent.value);
  ASSERT_EQ(got.level, sent.level);
}

TEST(Codec, RoundTripsOverAllLayouts) {
  Stream stream({3, Purpose::data, 0, 0});
  for (const Layout& layout : testing::all_layouts())
    for (int turn = 0; turn < 3; ++turn) {
      const Message sent = testing::random_message(layout, stream);
      const Measure measured = measure(layout, sent);
      if (layout.is_equal()) {
        ASSERT_EQ(measured.bits, layout.most_bits());
      }
      Message got = testing::random_message(layout, stream);  // old content must go
      ASSERT_EQ(decode(layout, bytes_of(layout, sent), got), measured.bits);
      expect_equal(got, sent);
    }
}

// Bytes that no encoder has produced are refused, or are what the message that they stand for is
// written as: nothing is read that is not there.
TEST(Codec, DamagedBytesAreRefusedOrStandForAMessage) {
  Stream stream({5, Purpose::data, 0, 0});
  std::size_t refused = 0;
  for (const Layout& layout : testing::all_layouts())
    for (int turn = 0; turn < 8; ++turn) {
      Bytes bytes = bytes_of(layout, testing::random_message(layout, stream));
      if (turn == 0) bytes.resize(bytes.size() / 2);
      if (turn == 1) bytes.push_back(std::byte{0});
      if (turn == 2 && !bytes.empty()) bytes.pop_back();
      if (turn > 2)
        for (std::size_t i = 0; i < bytes.size(); i += 1 + stream.below(7))
          bytes[i] ^= static_cast<std::byte>(stream.below(256));
      Message got;
      try {
        const std::uint64_t bits = decode(layout, bytes, got);
        ASSERT_EQ((bits + 7) / 8, bytes.size());
        ASSERT_LE(got.entries(), layout.count);
        for (const auto index : got.index) ASSERT_LT(index, layout.dimension);
        for (const auto level : got.level)
          ASSERT_LE(std::abs(level), static_cast<std::int32_t>(layout.levels));
      } catch (const RunFailure&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 3 * testing::all_layouts().size());
}

// Values through the quick path are the same bytes as through the packer, behind a scalar.
TEST(Codec, BarePathEqualsPackedPath) {
  const Layout bare{.dimension = 50, .count = 50};
  const Layout packed{.dimension = 50, .count = 50, .scalars = 1};
  Stream stream({4, Purpose::data, 0, 0});
  Message message = testing::random_message(bare, stream);
  const auto expected = encoded(bare, message);
  message.scalar = {1};
  const auto found = encoded(packed, message);
  EXPECT_EQ(std::vector<unsigned>(found.begin() + 4, found.end()), expected);
}

TEST(Codec, ValuesAreRoundedToTheWireOnce) {
  const real third = real{1} / real{3};
  for (const auto format : {ValueFormat::float32, ValueFormat::float64, ValueFormat::bfloat16,
                            ValueFormat::float16, ValueFormat::natural}) {
    const Layout layout{.dimension = 2, .count = 2, .value = format};
    Vector expected{third, real{1000}};
    Rounding()(format, {3, Purpose::mask}, expected);
    Message got;
    decode(layout, bytes_of(layout, of_values(expected)), got);
    EXPECT_EQ(got.value, expected);
  }
}

// What is not finite arrives as such, so that the server can name the client.
TEST(Codec, WhatIsNotFiniteArrives) {
  const real inf = std::numeric_limits<real>::infinity();
  for (const auto format : {ValueFormat::float32, ValueFormat::float64, ValueFormat::bfloat16,
                            ValueFormat::float16, ValueFormat::natural}) {
    const Layout layout{.dimension = 3, .count = 3, .value = format};
    Vector values{-inf, std::numeric_limits<real>::quiet_NaN(), real{1}};
    Rounding()(format, {3, Purpose::mask}, values);
    Message got;
    decode(layout, bytes_of(layout, of_values(values)), got);
    EXPECT_FALSE(std::isfinite(got.value[0])) << static_cast<int>(format);
    EXPECT_FALSE(std::isfinite(got.value[1])) << static_cast<int>(format);
    EXPECT_EQ(got.value[2], real{1}) << static_cast<int>(format);
  }
}

TEST(Codec, RefusesIndicesThatDoNotAscend) {
  const Layout layout{.dimension = 5, .count = 2, .index = IndexCode::fixed};
  Message message;
  EXPECT_THROW(decode(layout, bytes_of(layout, of_values({1, 2}, {4, 1})), message), RunFailure);
  EXPECT_THROW(decode(layout, bytes_of(layout, of_values({1, 2}, {3, 3})), message), RunFailure);
}

// 34 bits an entry: every number of entries has a size of its own.
TEST(Codec, MessagesMayDifferInSize) {
  const Layout layout{.dimension = 4, .count = 4, .index = IndexCode::fixed, .varies = true};
  for (std::uint32_t entries = 0; entries <= 4; ++entries) {
    Message message;
    for (std::uint32_t i = 0; i < entries; ++i) {
      message.index.push_back(i);
      message.value.push_back(static_cast<real>(i) - 3);
    }
    EXPECT_EQ(measure(layout, message).bits, 34U * entries);
    const Bytes bytes = bytes_of(layout, message);
    Message got;
    decode(layout, bytes, got);
    expect_equal(got, message);
    Bytes longer = bytes;
    longer.resize(bytes.size() + (entries == 4 ? 5 : 1));
    EXPECT_THROW(decode(layout, longer, got), RunFailure) << entries;
  }
}

}  // namespace trilemma::codec_test
