// Reader of LIBSVM text (src/data/libsvm.hpp): good files. Label pairs as in the real files
// (-1/+1, 0/1, 1/2), blanks at the end of lines, missing features.

#include "data/libsvm.hpp"

#include <gtest/gtest.h>

#include "tests/support/temp.hpp"

namespace trilemma::libsvm_test {

using testing::TempFolder;

Dataset read(const std::string& text, std::size_t features, int classes = 2) {
  const TempFolder folder;
  LibsvmLabels labels{classes};
  LibsvmReading found;
  return read_libsvm(folder.write("data", text), features, labels, found);
}

TEST(Libsvm, ReadsRowsWithTrailingBlanks) {
  const Dataset data = read("-1 3:1 11:0.5 \n+1 1:-2e-1\t\n", 12);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data.features(), 12U);
  EXPECT_EQ(data.classes, 2);
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{-1, 1}));
  const auto& rows = std::get<SparseRows>(data.rows);
  EXPECT_EQ(rows.start, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{2, 10, 0}));
  EXPECT_EQ(rows.value[0], real{1});
  EXPECT_EQ(rows.value[1], static_cast<real>(0.5));
  EXPECT_EQ(rows.value[2], static_cast<real>(-0.2));
}

std::vector<std::uint32_t> columns(const Dataset& data) {
  return std::get<SparseRows>(data.rows).column;
}

TEST(Libsvm, PassesOverCommentsAndQueries) {
  const TempFolder folder;
  LibsvmLabels labels;
  LibsvmReading found;
  const std::string file = folder.write(
      "data", "\xEF\xBB\xBF# made by hand\n+1 qid:3 1:0.5 3:+1 # first\n#\n-1 qid:4 2:1e-999\n");
  const Dataset data = read_libsvm(file, 3, labels, found);
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{1, -1}));
  EXPECT_EQ(columns(data), (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(std::get<SparseRows>(data.rows).value, (Vector{0.5, 1, 0}));
  EXPECT_EQ(found.queries, 2U);
  EXPECT_EQ(found.lost, 1U);
}

TEST(Libsvm, CountsIndicesFromZeroWhereTheTrainingFileDoes) {
  const TempFolder folder;
  LibsvmLabels labels;
  LibsvmReading found;
  EXPECT_EQ(columns(read_libsvm(folder.write("a", "1 2:1\n-1 0:1\n"), 3, labels, found)),
            (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(found.first_index, 0);
  // The test file has no index 0 of its own.
  EXPECT_EQ(columns(read_libsvm(folder.write("b", "1 1:1\n"), 3, labels, found)),
            (std::vector<std::uint32_t>{1}));
}

TEST(Libsvm, EveryPairOfLabelsBecomesMinusAndPlusOne) {
  const std::vector<std::int32_t> expected{-1, 1, -1};
  EXPECT_EQ(read("-1 1:1\n1 1:1\n-1 1:1\n", 1).label, expected);
  EXPECT_EQ(read("0 1:1\n1 1:1\n0 1:1\n", 1).label, expected);
  EXPECT_EQ(read("1 1:1\n2 1:1\n1 1:1\n", 1).label, expected);
  EXPECT_EQ(read("-1.0 1:1\n+1.0 1:1\n-1 1:1\n", 1).label, expected);
}

TEST(Libsvm, TheTrainingFileFixesTheLabelsOfTheTestFile) {
  const TempFolder folder;
  LibsvmLabels labels;
  LibsvmReading found;
  read_libsvm(folder.write("train", "1 1:1\n2 1:1\n"), 1, labels, found);
  EXPECT_EQ(labels.value, (std::vector<double>{1, 2}));
  // Only the larger label occurs: without the other one it could not be identified.
  const Dataset test = read_libsvm(folder.write("test", "2 1:1\n2 1:1\n"), 1, labels, found);
  EXPECT_EQ(test.label, (std::vector<std::int32_t>{1, 1}));
}

TEST(Libsvm, ManyLabelsAreNumberedInAscendingOrder) {
  const Dataset data = read("7 1:1\n-3 1:1\n10 1:1\n7 1:1\n", 1, 3);
  EXPECT_EQ(data.classes, 3);
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{1, 0, 2, 1}));
  EXPECT_TRUE(data.target.empty());
}

TEST(Libsvm, RealTargetsAreTakenAsTheyAre) {
  const Dataset data = read("1.5 1:1\n-2e1 1:1\n1.5 1:1\n", 1, 0);
  EXPECT_EQ(data.classes, 0);
  EXPECT_EQ(data.target, (Vector{1.5, -20, 1.5}));
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(Libsvm, MissingFeaturesAndEmptyRowsAreZeros) {
  const Dataset data = read("1 2:3\n-1\n1 \n-1 1:1 2:2 3:3\n", 3);
  EXPECT_EQ(std::get<SparseRows>(data.rows).start, (std::vector<std::size_t>{0, 1, 1, 1, 4}));
}

TEST(Libsvm, EndsOfLinesAndFiles) {
  const std::vector<std::int32_t> expected{-1, 1};
  EXPECT_EQ(read("-1 1:1\r\n1 1:1\r\n", 1).label, expected);  // written on Windows
  EXPECT_EQ(read("-1 1:1\n1 1:1", 1).label, expected);        // no newline at the end
  EXPECT_EQ(read("-1 1:1\n\n  \n1 1:1\n\n", 1).label, expected);
}

}  // namespace trilemma::libsvm_test
