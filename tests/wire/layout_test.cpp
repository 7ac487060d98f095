// Sizes of encodings (src/wire/layout.hpp; spec algorithms.md 1.4): exact payload bits for every
// index code, entry and value format.

#include "wire/layout.hpp"

#include <gtest/gtest.h>

#include "wire/bits.hpp"

namespace trilemma::layout_test {

TEST(Layout, BitsAreTheCeilingOfLog2) {
  const std::pair<std::size_t, unsigned> table[] = {
      {1, 0},   {2, 1},   {3, 2},   {4, 2},      {5, 3},      {8, 3},     {9, 4},
      {124, 7}, {128, 7}, {129, 8}, {50890, 16}, {65536, 16}, {65537, 17}};
  for (const auto& [things, bits] : table) EXPECT_EQ(bits_for(things), bits) << things;
}

TEST(Layout, DenseMessageIsDTimesTheValue) {
  Layout layout{.dimension = 124, .count = 124};
  EXPECT_EQ(layout.most_bits(), 124U * 32U);
  layout.value = ValueFormat::float64;
  EXPECT_EQ(layout.most_bits(), 124U * 64U);
  EXPECT_EQ(layout.bytes(), 124U * 8U);
}

// spec algorithms.md 1.4: k * bf with a shared seed, k (bf + ceil(log2 d)) with indices.
TEST(Layout, RandKMessages) {
  Layout layout{.dimension = 124, .count = 6, .index = IndexCode::keyed};
  EXPECT_EQ(layout.most_bits(), 6U * 32U);
  layout.index = IndexCode::fixed;
  EXPECT_EQ(layout.most_bits(), 6U * (32U + 7U));
  EXPECT_EQ(layout.bytes(), 30U);  // 234 bits
  layout.value = ValueFormat::float64;
  EXPECT_EQ(layout.most_bits(), 6U * (64U + 7U));
}

// s = 3: seven levels, 3 bits each; 1 and 2 bits of signs.
TEST(Layout, LevelsReplaceValuesButNotScalars) {
  Layout layout{.dimension = 10, .count = 10, .scalars = 2, .levels = 3};
  EXPECT_EQ(layout.most_bits(), 2U * 32U + 10U * 3U);
  layout.value = ValueFormat::float64;
  EXPECT_EQ(layout.most_bits(), 2U * 64U + 10U * 3U);
  layout.index = IndexCode::fixed;
  EXPECT_EQ(layout.most_bits(), 2U * 64U + 10U * (3U + 4U));
  EXPECT_EQ(layout.bytes(), 25U);  // 198 bits
  layout.level = LevelCode::sign;
  EXPECT_EQ(layout.most_bits(), 2U * 64U + 10U * (1U + 4U));
  layout.level = LevelCode::words;
  layout.levels = 1U << 15U;
  EXPECT_EQ(layout.most_bits(), 2U * 64U + 10U * (16U + 4U));
}

TEST(Layout, SaysWhetherAllMessagesAreEqual) {
  Layout layout{.dimension = 10, .count = 10, .index = IndexCode::keyed};
  EXPECT_TRUE(layout.is_equal() && !layout.has_header());
  layout.varies = true;  // the number follows from the size
  EXPECT_FALSE(layout.is_equal() || layout.has_header());
  for (const auto index : {IndexCode::rice, IndexCode::bitmap, IndexCode::smallest}) {
    layout.index = index;
    EXPECT_TRUE(!layout.is_equal() && layout.has_header());
    layout.varies = false;
    EXPECT_EQ(layout.is_equal(), index == IndexCode::bitmap);
    EXPECT_FALSE(layout.has_header());
    layout.varies = true;
  }
  layout = {.dimension = 10, .count = 3, .index = IndexCode::bitmap};
  EXPECT_EQ(layout.most_bits(), 10U + 3U * 32U);
  layout = {.dimension = 10, .count = 10, .levels = 3, .varies = true};  // 3 bits are too few
  EXPECT_TRUE(layout.has_header());
  for (const auto level : {LevelCode::gamma, LevelCode::runs, LevelCode::rans, LevelCode::trits}) {
    layout = {.dimension = 10, .count = 10, .levels = 1, .level = level};
    EXPECT_EQ(layout.is_equal(), level == LevelCode::trits);
  }
}

// What the papers count: values at their own size, levels at the width of a fixed field, no
// indices.
TEST(Layout, ModelBits) {
  EXPECT_EQ((Layout{.dimension = 9, .count = 4, .index = IndexCode::rice}.model_bits(32, 4)), 128);
  EXPECT_EQ((Layout{.scalars = 2, .levels = 1, .level = LevelCode::trits}.model_bits(32, 10)), 80);
  EXPECT_EQ((Layout{.value = ValueFormat::natural}.model_bits(32, 10)), 90);
  EXPECT_EQ((Layout{.value = ValueFormat::float64}.model_bits(32, 10)), 320);
  EXPECT_EQ((Layout{.scalars = 1, .levels = 1, .level = LevelCode::sign}.model_bits(64, 10)), 74);
  EXPECT_EQ((Layout{.levels = 1U << 11U, .level = LevelCode::words}.model_bits(32, 10)), 120);
}

TEST(Layout, LargeCountsDoNotOverflow) {
  const std::size_t many = std::size_t{1} << 33;
  EXPECT_EQ((Layout{.dimension = many, .count = many, .value = ValueFormat::float64}.most_bits()),
            std::uint64_t{64} << 33);
}

}  // namespace trilemma::layout_test
