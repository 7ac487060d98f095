// Records in memory (src/data/dataset.hpp): choosing, gathering, norms, the index of non-zero
// bytes.

#include "data/dataset.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/scaling.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::dataset_test {

Dataset sparse() {
  // (0, 3, 4), (0, 0, 0), (1, 0, 0)
  SparseRows rows;
  rows.columns = 3;
  rows.start = {0, 2, 2, 3};
  rows.column = {1, 2, 0};
  rows.value = {3, 4, 1};
  Dataset data;
  data.rows = rows;
  data.label = {1, -1, 1};
  return data;
}

Dataset dense() {
  DenseRows rows;
  rows.columns = 2;
  rows.byte = {0, 255, 51, 102, 7, 0};
  rows.scale = 2.0;
  rows.shift = -1.0;
  Dataset data;
  data.rows = rows;
  data.label = {0, 1, 2};
  data.classes = 3;
  return data;
}

TEST(Dataset, NormsByHand) {
  Dataset s = sparse();
  s.prepare();
  EXPECT_EQ(s.row_norm, (std::vector<double>{5.0, 0.0, 1.0}));
  Dataset d = dense();
  d.prepare();
  EXPECT_DOUBLE_EQ(d.row_norm[0], std::sqrt(1.0 + 509.0 * 509.0));
  EXPECT_DOUBLE_EQ(d.row_norm[2], std::sqrt(13.0 * 13.0 + 1.0));
}

TEST(Dataset, GatherAppliesScaleAndShift) {
  const Dataset data = dense();
  Vector out(4);
  const std::vector<std::uint32_t> rows{2, 0};
  std::get<DenseRows>(data.rows).gather(rows, out);
  EXPECT_EQ(out, (Vector{13, -1, -1, 509}));
}

TEST(Dataset, GatherOfRealsIsACopy) {
  DenseRows rows;
  rows.columns = 2;
  rows.value = {1, 2, 3, 4};
  Vector out(2);
  const std::uint32_t second = 1;
  rows.gather({&second, 1}, out);
  EXPECT_EQ(out, (Vector{3, 4}));
}

TEST(Dataset, SelectKeepsTheGivenOrder) {
  const std::vector<std::uint32_t> order{2, 0, 2};
  const Dataset s = sparse().select(order);
  EXPECT_EQ(s.label, (std::vector<std::int32_t>{1, 1, 1}));
  const auto& rows = std::get<SparseRows>(s.rows);
  EXPECT_EQ(rows.columns, 3U);
  EXPECT_EQ(rows.start, (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 1, 2, 0}));
  const Dataset d = dense().select(order);
  EXPECT_EQ(d.classes, 3);
  EXPECT_EQ(d.label, (std::vector<std::int32_t>{2, 0, 2}));
  EXPECT_EQ(std::get<DenseRows>(d.rows).byte, (std::vector<std::uint8_t>{7, 0, 0, 255, 7, 0}));
  EXPECT_EQ(std::get<DenseRows>(d.rows).scale, 2.0);
  EXPECT_EQ(std::get<DenseRows>(d.rows).shift, -1.0);
}

TEST(Dataset, TruncateKeepsTheFirst) {
  Dataset data = sparse();
  data.truncate(5);
  EXPECT_EQ(data.size(), 3U);
  data.truncate(1);
  EXPECT_EQ(data.size(), 1U);
  EXPECT_EQ(std::get<SparseRows>(data.rows).rows(), 1U);
}

TEST(Dataset, AppendBiasAddsALastColumnOfOnes) {
  Dataset data = sparse();
  append_bias(data);
  EXPECT_EQ(data.features(), 4U);
  const auto& rows = std::get<SparseRows>(data.rows);
  EXPECT_EQ(rows.start, (std::vector<std::size_t>{0, 3, 4, 6}));
  EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{1, 2, 3, 3, 0, 3}));
  EXPECT_EQ(rows.value, (Vector{3, 4, 1, 1, 1, 1}));
}

TEST(Dataset, IndexOfNonZeroBytesHoldsExactlyThem) {
  Dataset data = testing::byte_records(30, 50, 3, 1, 0.2);
  const auto& rows = std::get<DenseRows>(data.rows);
  ASSERT_EQ(rows.nonzeros.start.size(), 31U);
  std::vector<std::uint8_t> rebuilt(rows.byte.size());
  for (std::size_t r = 0; r < 30; ++r)
    for (std::size_t e = rows.nonzeros.start[r]; e < rows.nonzeros.start[r + 1]; ++e) {
      EXPECT_NE(rows.nonzeros.byte[e], 0);
      rebuilt[r * 50 + rows.nonzeros.column[e]] = rows.nonzeros.byte[e];
    }
  EXPECT_EQ(rebuilt, rows.byte);
}

TEST(Dataset, PreparingTwiceIsPreparingOnce) {
  Dataset data = testing::byte_records(30, 50, 3, 1, 0.2);
  const auto before = std::get<DenseRows>(data.rows).nonzeros;
  const auto norm = data.row_norm;
  data.prepare();
  const auto& after = std::get<DenseRows>(data.rows).nonzeros;
  EXPECT_EQ(after.start, before.start);
  EXPECT_EQ(after.column, before.column);
  EXPECT_EQ(after.byte, before.byte);
  EXPECT_EQ(data.row_norm, norm);
}

TEST(Dataset, FullImagesHaveNoIndex) {
  Dataset data = testing::byte_records(30, 50, 3, 1, 1.0);
  EXPECT_TRUE(std::get<DenseRows>(data.rows).nonzeros.start.empty());
}

// Rows of 5, 0 and 1 columns in groups of four; the filling is the number of columns.
SparseRows three_rows() {
  SparseRows rows;
  rows.columns = 9;
  rows.start = {0, 5, 5, 6};
  rows.column = {0, 2, 3, 5, 8, 1};
  rows.value.assign(6, real{0.5});
  return rows;
}

std::vector<std::pair<std::uint32_t, real>> entries(const SparseRows& rows) {
  std::vector<std::pair<std::uint32_t, real>> found;
  for (std::size_t r = 0; r < rows.rows(); ++r)
    rows.each(r, [&](std::uint32_t column, real value) { found.emplace_back(column, value); });
  return found;
}

TEST(SparseRows, ColumnsAreGroupedWhereAllValuesAreTheSame) {
  const SparseRows plain = three_rows();
  SparseRows rows = plain;
  rows.group_columns();
  EXPECT_EQ(rows.groups.value, real{0.5});
  EXPECT_EQ(rows.groups.start, (std::vector<std::uint32_t>{0, 2, 2, 3}));
  EXPECT_EQ(rows.groups.column, (std::vector<std::uint16_t>{0, 2, 3, 5, 8, 9, 9, 9, 1, 9, 9, 9}));
  EXPECT_EQ(rows.groups.bits, (std::vector<std::uint64_t>{0b100101101, 0, 0, 0, 0b10, 0, 0}));
  EXPECT_EQ(rows.rows(), 3U);
  EXPECT_EQ(entries(rows), entries(plain));
  EXPECT_EQ(entries(rows).size(), 6U);
  EXPECT_EQ(rows.start.capacity() + rows.column.capacity() + rows.value.capacity(), 0U);
}

TEST(SparseRows, TheWidestGroupsFitIn16Bits) {
  SparseRows rows = three_rows();
  rows.columns = 65535;
  rows.column[4] = 65534;
  const SparseRows plain = rows;
  rows.group_columns();
  ASSERT_TRUE(rows.are_grouped());
  EXPECT_TRUE(rows.groups.bits.empty());  // they would be far more than the entries
  EXPECT_EQ(entries(rows), entries(plain));
}

TEST(Dataset, ChosenRowsStayGrouped) {
  Dataset plain;
  plain.rows = three_rows();
  plain.label = {1, -1, 1};
  Dataset grouped = plain;
  std::get<SparseRows>(grouped.rows).group_columns();
  const std::vector<std::uint32_t> chosen = {2, 0, 1};
  const auto rows = std::get<SparseRows>(grouped.select(chosen).rows);
  EXPECT_TRUE(rows.are_grouped());
  EXPECT_EQ(rows.rows(), 3U);
  EXPECT_EQ(entries(rows), entries(std::get<SparseRows>(plain.select(chosen).rows)));
  const auto& groups = std::get<SparseRows>(grouped.rows).groups;
  ASSERT_EQ(groups.words, 2U);
  for (std::size_t r = 0; r < 3; ++r)
    EXPECT_EQ(rows.groups.bits[2 * r], groups.bits[2 * chosen[r]]) << r;
  EXPECT_EQ(std::get<SparseRows>(grouped.select({}).rows).rows(), 0U);
  grouped.prepare();
  plain.prepare();
  EXPECT_EQ(grouped.row_norm, plain.row_norm);
}

TEST(SparseRows, AreNotGroupedOtherwise) {
  SparseRows other = three_rows();
  other.value[3] = real{0.25};
  SparseRows wide = three_rows();
  wide.columns = 65536;  // the filling would not fit in 16 bits
  SparseRows signs = three_rows();
  signs.value.assign(6, real{0});
  signs.value[2] = -signs.value[2];
  SparseRows none;
  none.start = {0, 0, 0};
  none.group_columns();
  EXPECT_EQ(none.rows(), 2U);
  for (SparseRows* rows : {&other, &wide, &signs}) {
    rows->group_columns();
    EXPECT_FALSE(rows->are_grouped());
    EXPECT_EQ(rows->column.size(), 6U);
  }
}

}  // namespace trilemma::dataset_test
