// What the reader of LIBSVM text refuses, with file and line (missing file,
// empty file, NaN or inf feature, index 0 or unsorted or above the dimension).

#include <gtest/gtest.h>

#include "data/libsvm.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::libsvm_refusal_test {

using testing::expect_parts;

std::string refusal_of(const std::string& text, int classes = 2,
                       std::optional<int> first_index = {}) {
  const testing::TempFolder folder;
  const std::string file = folder.write("bad.svm", text);
  LibsvmLabels labels{classes};
  LibsvmReading found{first_index};
  return testing::refusal([&] { read_libsvm(file, 5, labels, found); });
}

TEST(LibsvmRefuses, AMissingFileAndAFolder) {
  const testing::TempFolder folder;
  LibsvmLabels labels;
  LibsvmReading found;
  expect_parts(testing::refusal([&] { read_libsvm(folder.at("none"), 5, labels, found); }),
               {folder.at("none"), "no such data file"});
  expect_parts(testing::refusal([&] { read_libsvm(folder.path(), 5, labels, found); }),
               {folder.path()});
}

TEST(LibsvmRefuses, AnEmptyFile) {
  expect_parts(refusal_of(""), {"bad.svm", "empty"});
  expect_parts(refusal_of("\n \n\t\n"), {"bad.svm", "no record"});
}

TEST(LibsvmRefuses, IndexZeroWhereTheFirstIsOne) {
  expect_parts(refusal_of("1 1:1\n-1 0:1\n", 2, 1),
               {"bad.svm:2", "feature index 0", "start at 1", "data.index_from = 0"});
}

TEST(LibsvmRefuses, IndicesFromZeroAboveTheDimension) {
  expect_parts(refusal_of("1 1:1\n-1 5:1\n", 2, 0), {"bad.svm:2", "5", "data.features = 5 less 1"});
  // Either of the two indices may be the wrong one.
  expect_parts(refusal_of("1 1:1\n1 2:1 5:1\n\n-1 0:1\n"),
               {"bad.svm:4: feature index 0", "start at 0", "index 5 in line 2",
                "data.features = 5 less 1", "data.index_from = 1", "set data.features = 6"});
}

TEST(LibsvmRefuses, UnsortedAndRepeatedIndices) {
  expect_parts(refusal_of("1 1:1\n-1 1:1\n1 3:1 2:1\n"), {"bad.svm:3", "2 follows 3", "ascend"});
  expect_parts(refusal_of("1 2:1 2:1\n"), {"bad.svm:1", "2 follows 2"});
}

TEST(LibsvmRefuses, IndicesAboveTheDimension) {
  expect_parts(refusal_of("1 5:1\n-1 6:1\n"), {"bad.svm:2", "6", "data.features = 5"});
  expect_parts(refusal_of("1 4294967297:1\n"), {"bad.svm:1"});  // 2^32 + 1
  expect_parts(refusal_of("1 99999999999999999999:1\n"), {"bad.svm:1"});
}

TEST(LibsvmRefuses, ValuesThatAreNotFinite) {
  for (const char* value : {"nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e999"})
    expect_parts(refusal_of("1 1:1\n-1 1:" + std::string(value) + "\n"), {"bad.svm:2"});
  expect_parts(refusal_of("nan 1:1\n"), {"bad.svm:1"});
}

// A finite number in the file that is infinite as `real` makes every gradient NaN.
TEST(LibsvmRefuses, ValuesThatOverflowReal) {
  if (testing::wide) GTEST_SKIP() << "1e300 is a finite double";
  expect_parts(refusal_of("1 1:1\n-1 1:1e300\n"), {"bad.svm:2"});
}

TEST(LibsvmRefuses, AnotherNumberOfLabels) {
  expect_parts(refusal_of("0 1:1\n1 1:1\n2.5 1:1\n"),
               {"bad.svm: 3 different labels (0, 1, 2.5)", "data.classes = 2",
                "the rarest is 0, first in line 1), or set data.classes = 3, or 0"});
  expect_parts(refusal_of("0 1:1\n1 1:1\n", 3), {"2 different labels", "data.classes = 3"});
}

TEST(LibsvmRefuses, ASingleLabel) {
  expect_parts(refusal_of("1 1:1\n1 2:1\n"), {"bad.svm", "all records have the label 1"});
}

TEST(LibsvmRefuses, LabelsThatTrainingDidNotHave) {
  const testing::TempFolder folder;
  LibsvmLabels labels{2, {-1, 1}};
  LibsvmReading found;
  const std::string file = folder.write("test.svm", "1 1:1\n0 1:1\n");
  expect_parts(testing::refusal([&] { read_libsvm(file, 5, labels, found); }),
               {"test.svm:2", "label 0", "no training record"});
}

TEST(LibsvmRefuses, Garbage) {
  expect_parts(refusal_of("hello world\n"), {"bad.svm:1", "label", "hello"});
  expect_parts(refusal_of("1 one:1\n"), {"bad.svm:1", "index:value"});
  expect_parts(refusal_of("1 1\n"), {"bad.svm:1", "index:value"});
  expect_parts(refusal_of("1 1:\n"), {"bad.svm:1"});
  expect_parts(refusal_of("1 1:x\n"), {"bad.svm:1", "value"});
  expect_parts(refusal_of("1 1:0.5x\n"), {"bad.svm:1"});
  expect_parts(refusal_of("1 1:2:3\n"), {"bad.svm:1"});
  expect_parts(refusal_of("1 -1:2\n"), {"bad.svm:1"});
  expect_parts(refusal_of(std::string("1 1:1\n\0\0\0\n", 10)), {"bad.svm:2"});
}

// A line that was cut off and joined to the next would read as a record of the wrong features.
TEST(LibsvmRefuses, NumbersThatRunIntoEachOther) {
  expect_parts(refusal_of("1 1:1\n-11:1\n"), {"bad.svm:2"});
  expect_parts(refusal_of("1 1:1-2:1\n"), {"bad.svm:1"});
}

}  // namespace trilemma::libsvm_refusal_test
