// Lines of progress (src/base/progress_line.hpp).

#include "base/progress_line.hpp"

#include <gtest/gtest.h>

namespace trilemma::progress_line_test {

TEST(ProgressLine, KeepsTheTimeLeftOnANarrowTerminal) {
  EXPECT_EQ(cut_to_line("round 7 of 9", ", 12 s left", 40), "round 7 of 9, 12 s left");
  EXPECT_EQ(cut_to_line("round 7 of 9", ", 12 s left", 23), "round 7 of 9, 12 s left");
  EXPECT_EQ(cut_to_line("round 7 of 9", ", 12 s left", 18), "round 7, 12 s left");
  EXPECT_EQ(cut_to_line("round 7", "", 0), "");
}

// A character counts once, and is never divided.
TEST(ProgressLine, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to_line("\u03b5\u03b4\u03c3", "!", 4), "\u03b5\u03b4\u03c3!");
  EXPECT_EQ(cut_to_line("\u03b5\u03b4\u03c3", "!", 3), "\u03b5\u03b4!");
}

TEST(ProgressLine, WritesDurations) {
  EXPECT_EQ(duration_in_words(59.4), "59 s");
  EXPECT_EQ(duration_in_words(185), "3 min 05 s");
  EXPECT_EQ(duration_in_words(7800), "2 h 10 min");
}

}  // namespace trilemma::progress_line_test
