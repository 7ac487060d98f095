// The three kinds of check (src/base/check.hpp) and the clock.

#include "base/check.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"

namespace trilemma::check_test {

TEST(Check, RequireThrowsTheUsersSentence) {
  EXPECT_NO_THROW(require(true, "never said"));
  try {
    require(false, "{}:{}: k = {}", "a.toml", 3, 7);
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "a.toml:3: k = 7");
  }
}

TEST(Check, AMistakeIsComposedOfItsFields) {
  const auto text = [](Mistake mistake) { return std::string(UserError(mistake).what()); };
  const SourcePlace line{"a.toml", 3};
  EXPECT_EQ(text({.problem = "no data"}), "no data");
  EXPECT_EQ(text({.place = {"a.csv"}, .problem = "no data", .remedy = "add some"}),
            "a.csv: no data; add some");
  EXPECT_EQ(text({.place = line, .key = "k", .value = "7", .problem = "too large"}),
            "a.toml:3: k = 7: too large");
  EXPECT_EQ(text({.place = line, .key = "k", .problem = "unknown", .remedy = "take it out"}),
            "a.toml:3: k: unknown; take it out");
  const SourcePlace commanded = SourcePlace::command_line();
  EXPECT_EQ(text({.place = commanded, .key = "k", .value = "7", .problem = "too large"}),
            "--set: k = 7: too large");
  EXPECT_EQ(text({.place = commanded, .key = "k", .problem = "unread"}), "--set k: unread");
}

// Whoever knows a better place changes one field.
TEST(Check, AMistakeCanGetAnotherPlace) {
  const UnreadSetting error(
      Mistake{.place = SourcePlace::command_line(), .key = "compressor.k", .problem = "unread"});
  Mistake mistake = error.mistake();
  EXPECT_EQ(mistake.key, "compressor.k");
  mistake.place = {"s.toml", 5};
  EXPECT_EQ(mistake.text(), "s.toml:5: compressor.k: unread");
}

TEST(Check, ExpectIsOnInAuditBuilds) {
  EXPECT_NO_THROW(expect(true, "fine"));
#if defined(TRILEMMA_AUDIT)
  EXPECT_THROW(expect(false, "our mistake"), std::logic_error);
#else
  EXPECT_NO_THROW(expect(false, "our mistake"));
#endif
}

TEST(Clock, TicksBecomeSeconds) {
  const TickScale scale;
  const double factor = scale.factor();
  const Ticks before = now_ticks();
  const double start = now_seconds();
  while (now_seconds() - start < 0.02) {
  }
  const double spent = static_cast<double>(now_ticks() - before) * factor;
  // Both clocks were read one after the other; 20 % covers a process that is interrupted in
  // between.
  EXPECT_GT(spent, 0.019);
  EXPECT_LT(spent, 0.2);
}

}  // namespace trilemma::check_test
