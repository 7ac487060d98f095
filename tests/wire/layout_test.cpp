// Sizes of encodings (src/wire/layout.hpp; spec algorithms.md 1.4): exact payload bits for every
// index code, entry and value format.

#include "wire/layout.hpp"

#include <gtest/gtest.h>

namespace trilemma::layout_test {

TEST(Layout, IndexBitsAreTheCeilingOfLog2) {
  const std::pair<std::size_t, unsigned> table[] = {
      {1, 1},   {2, 1},   {3, 2},   {4, 2},      {5, 3},      {8, 3},     {9, 4},
      {124, 7}, {128, 7}, {129, 8}, {50890, 16}, {65536, 16}, {65537, 17}};
  for (const auto& [dimension, bits] : table)
    EXPECT_EQ(Layout{.dimension = dimension}.index_bits(), bits) << dimension;
}

TEST(Layout, DenseMessageIsDTimesTheValue) {
  Layout layout{.dimension = 124, .count = 124};
  EXPECT_EQ(layout.payload_bits(), 124U * 32U);
  layout.value = ValueFormat::float64;
  EXPECT_EQ(layout.payload_bits(), 124U * 64U);
  EXPECT_EQ(layout.bytes(), 124U * 8U);
}

// spec algorithms.md 1.4: k * bf with a shared seed, k (bf + ceil(log2 d)) with indices.
TEST(Layout, RandKMessages) {
  Layout layout{.dimension = 124, .count = 6, .index = IndexCode::keyed};
  EXPECT_EQ(layout.payload_bits(), 6U * 32U);
  layout.index = IndexCode::explicit_;
  EXPECT_EQ(layout.payload_bits(), 6U * (32U + 7U));
  EXPECT_EQ(layout.bytes(), 30U);  // 234 bits
  layout.value = ValueFormat::float64;
  EXPECT_EQ(layout.payload_bits(), 6U * (64U + 7U));
}

TEST(Layout, LevelsReplaceValuesButNotScalars) {
  Layout layout{.dimension = 10, .count = 10, .scalars = 2, .level_bits = 3};
  EXPECT_EQ(layout.payload_bits(), 2U * 32U + 10U * 3U);
  layout.value = ValueFormat::float64;
  EXPECT_EQ(layout.payload_bits(), 2U * 64U + 10U * 3U);
  layout.index = IndexCode::explicit_;
  EXPECT_EQ(layout.payload_bits(), 2U * 64U + 10U * (3U + 4U));
  EXPECT_EQ(layout.bytes(), 25U);  // 198 bits
}

TEST(Layout, LargeCountsDoNotOverflow) {
  const std::size_t many = std::size_t{1} << 33;
  EXPECT_EQ(
      (Layout{.dimension = many, .count = many, .value = ValueFormat::float64}.payload_bits()),
      std::uint64_t{64} << 33);
}

TEST(Layout, RoundToTheWire) {
  Vector values{static_cast<real>(0.1), real{1}, static_cast<real>(-1e-30)};
  const Vector before = values;
  round_to(ValueFormat::float64, values);
  EXPECT_EQ(values, before);
  round_to(ValueFormat::float32, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], static_cast<real>(static_cast<float>(before[i])));
}

}  // namespace trilemma::layout_test
