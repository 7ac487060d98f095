// Words and near words (src/core/text.hpp).

#include "core/text.hpp"

#include <gtest/gtest.h>

namespace trilemma {
namespace {

TEST(Text, EditDistanceByHand) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 2U);
}

TEST(Text, EditDistanceIsSymmetric) {
  for (const char* a : {"batch", "bound", "rate", "k"})
    for (const char* b : {"bach", "round", "", "threshold"})
      EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
}

TEST(Text, NearestFindsTheMisspeltKey) {
  const std::vector<std::string> keys{"local.batch", "local.sampling", "server.rate"};
  EXPECT_EQ(nearest("local.bach", keys), "local.batch");
  EXPECT_EQ(nearest("sever.rate", keys), "server.rate");
  EXPECT_EQ(nearest("local.batch", keys), "local.batch");
}

TEST(Text, NearestIsEmptyWhereNothingIsNear) {
  EXPECT_EQ(nearest("zzzzzzzzzzzzzzzz", {"local.batch", "server.rate"}), "");
  EXPECT_EQ(nearest("batch", {}), "");
}

TEST(Text, Join) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join({"a", "b"}, "|"), "a|b");
}

TEST(Shown, HoldsNoControlCharactersAndIsShort) {
  EXPECT_EQ(shown("plain text"), "plain text");
  EXPECT_EQ(shown(std::string("a\n\t\x1b[1m\x7f\0", 9)), "a???[1m??");
  EXPECT_EQ(shown("abcdef", 3), "abc...");
  EXPECT_EQ(shown("ab\xC3\xA9z", 3), "ab...");  // not in the middle of a character
  EXPECT_EQ(shown("ab\xC3\xA9z", 4), "ab\xC3\xA9...");
  EXPECT_EQ(shown(std::string(5, '\x80'), 3), "...");
}

TEST(Nearest, IsNotLookedForAmongWordsOfAnyLength) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), {std::string(1'000'000, 'a')}), "");
}

}  // namespace
}  // namespace trilemma
