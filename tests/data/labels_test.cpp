// Labels and classes (src/data/labels.hpp).

#include "data/labels.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace trilemma::labels_test {

using testing::expect_parts;

LabelCount counted_labels(const std::string& name, const std::vector<std::int64_t>& labels) {
  LabelCount count(name);
  for (const auto label : labels) count.add(label);
  return count;
}

TEST(Labels, AreClassesWhereAllAreBelowTheirNumber) {
  const LabelCount train = counted_labels("a", {2, 0, 1, 2});
  const ClassMap map(3, train, LabelCount());
  EXPECT_EQ(label_classes(train, LabelCount()), 3);
  for (int label = 0; label < 3; ++label) EXPECT_EQ(map.number(label), label);
  EXPECT_FALSE(map.number(3).has_value());
  TrainTest data;
  describe_labels(train, LabelCount(), 3, data);
  EXPECT_TRUE(data.notes.empty());
}

TEST(Labels, GapsAreNoted) {
  const LabelCount train = counted_labels("a", {0, 4, 5});
  EXPECT_EQ(ClassMap(8, train, LabelCount()).number(4), 4);
  TrainTest data;
  describe_labels(train, LabelCount(), 8, data);
  ASSERT_EQ(data.notes.size(), 1U);
  expect_parts(data.notes[0], {"a", "no record has label 1 to 3, 6, 7", "data.classes = 8"});
}

// One stray label makes no hundred classes; the map is the same for training and tests.
TEST(Labels, ThatAreNoClassesAreNumberedInAscendingOrder) {
  const LabelCount train = counted_labels("a", {0, 1, 2, 3, 99, 1});
  const LabelCount test = counted_labels("b", {99, 3});
  EXPECT_EQ(label_classes(train, test), 5);
  const ClassMap map(5, train, test);
  EXPECT_EQ(map.number(99), 4);
  EXPECT_EQ(map.number(3), 3);
  EXPECT_FALSE(map.number(4).has_value());
  TrainTest data;
  describe_labels(train, test, 5, data);
  ASSERT_EQ(data.notes.size(), 1U);
  expect_parts(data.notes[0], {"labels 0 to 3, 99 became classes 0 to 4", "the rarest is"});
  const LabelCount letters = counted_labels("a", {1, 2, 3});
  EXPECT_EQ(ClassMap(3, letters, LabelCount()).number(1), 0);
  EXPECT_EQ(ClassMap(2, counted_labels("a", {-1, 1}), LabelCount()).number(-1), 0);
}

TEST(Labels, OfTestsAloneAreNamed) {
  const LabelCount train = counted_labels("a", {0, 1});
  const LabelCount test = counted_labels("b", {2});
  EXPECT_EQ(label_classes(train, test), 3);
  TrainTest data;
  describe_labels(train, test, 3, data);
  ASSERT_EQ(data.notes.size(), 1U);
  expect_parts(data.notes[0], {"b", "label 2 occurs in no training record"});
}

TEST(Labels, AreRefusedWhereTheirNumberIsAnother) {
  expect_parts(testing::refusal([] {
                 ClassMap(4, counted_labels("a", {0, 1, 2, 3, 99}), LabelCount());
               }),
               {"a: labels 0 to 3, 99 (5 different ones)", "data.classes = 4",
                "label 99 (1 record, first at record 4 of a)", "set data.classes = 5"});
}

}  // namespace trilemma::labels_test
