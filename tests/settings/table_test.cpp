// Tables of parts (src/settings/table.hpp): names, choice by name, refusal of a
// name that is not in the table.

#include "settings/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/refusal.hpp"

namespace trilemma::table_test {

using Maker = std::function<int(int)>;

struct Options {
  int base = 1;
  bool twice = false;
  void read(Reader& r) {
    r("base", base, at_least(0), "the first summand");
    r("times", twice, {{"once", false}, {"twice", true, "the sum is doubled"}}, "how often");
  }
};

int sum(const Options& options, int more) {
  return (options.base + more) * (options.twice ? 2 : 1);
}
int checked_sum(const Options& options, const Settings& settings, int more) {
  if (more > options.base) settings.refuse("base", "smaller than the other one");
  return sum(options, more);
}
int more_alone(int more) { return more; }

std::span<const Row<Maker>> rows() {
  static const Row<Maker> table[] = {part_without_settings("one", "the first", more_alone),
                                     part_with_settings("two", "the second", sum),
                                     part_with_settings("three", "the third", checked_sum)};
  return table;
}

TEST(Table, NamesInOrder) {
  EXPECT_EQ(names(rows()), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(Table, ChoosesTheNamedRowOrTheFallback) {
  Settings named = Settings::from_text("kind = \"two\"", "t");
  EXPECT_EQ(choose(rows(), named, "kind", "one", "which").make(named, 2), 3);
  Settings absent = Settings::empty();
  EXPECT_EQ(choose(rows(), absent, "kind", "one", "which").make(absent, 2), 2);
  ASSERT_EQ(absent.records().size(), 1U);
  EXPECT_EQ(absent.records()[0].path, "kind");
  ASSERT_EQ(absent.records()[0].choices.size(), 3U);
  EXPECT_EQ(absent.records()[0].choices[1].name, "two");
  EXPECT_EQ(absent.records()[0].choices[1].help, "the second");
}

TEST(Table, OptionsAreReadOnceAndMadeOften) {
  Settings s = Settings::from_text("base = 5\ntimes = \"twice\"\n", "t.toml");
  const auto make = row(rows(), "three").read(s);
  ASSERT_EQ(s.records().size(), 2U);
  EXPECT_EQ(make(1), 12);
  EXPECT_EQ(make(2), 14);
  EXPECT_EQ(s.records().size(), 2U);
  testing::expect_parts(testing::refusal([&] { make(6); }), {"t.toml:1", "base = 5", "smaller"});
}

TEST(Table, AListingHasTheKeysOfAllPartsOnce) {
  Settings s = Settings::listing();
  choose(rows(), s, "kind", "two", "which");
  ASSERT_EQ(s.records().size(), 3U);
  EXPECT_EQ(s.records()[0].path, "kind");
  EXPECT_EQ(s.records()[1].path, "base");
  EXPECT_EQ(s.records()[1].default_value, "1");
  ASSERT_EQ(s.records()[1].readers.size(), 2U);
  EXPECT_EQ(s.records()[1].readers[0].choice, "kind");
  EXPECT_EQ(s.records()[1].readers[0].part, "two");
  EXPECT_EQ(s.records()[1].readers[1].part, "three");
  EXPECT_TRUE(s.records()[0].readers.empty());
}

TEST(Table, PagesHaveTypesRangesChoicesAndReaders) {
  Settings s = Settings::listing();
  choose(rows(), s, "kind", "two", "which");
  const std::string page = to_markdown(s.records());
  for (const char* part :
       {"### `base`", "A whole number of at least 0; default `1`.",
        "Read for `kind` = `two`, `three`.", "* `twice`: the sum is doubled", "* `one`: the first"})
    EXPECT_NE(page.find(part), std::string::npos) << part << " in\n" << page;
  EXPECT_EQ(to_annotated_toml(s.records()),
            "# which\n#   one: the first\n#   two: the second\n#   three: the third\nkind = 'two'\n"
            "# the first summand\nbase = 1\n# how often\n#   once\n#   twice: the sum is doubled\n"
            "times = 'once'\n");
}

// Readings under a condition are listed whatever the condition is.
TEST(Table, AListingOpensConditions) {
  EXPECT_TRUE(Settings::listing().when(false));
  EXPECT_FALSE(Settings::empty().when(false));
  EXPECT_TRUE(Settings::empty().when(true));
}

TEST(Table, LongLinesAreWrapped) {
  Settings s = Settings::from_text(
      "files = ['" + std::string(60, 'a') + "', \"b, c\", '" + std::string(60, 'd') + "']\n", "t");
  std::string help;
  for (int i = 0; i < 60; ++i) help += "word ";
  s.texts("files", {}, help + "end");
  const std::string text = to_annotated_toml(s.records());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  Settings again = Settings::from_text(text, "again");
  EXPECT_EQ(again.texts("files", {}, ""), s.texts("files", {}, ""));
}

TEST(Table, RefusesAnUnknownNameAndNamesTheNearest) {
  Settings settings = Settings::from_text("\nkind = \"tow\"", "t.toml");
  const std::string said =
      testing::refusal([&] { choose(rows(), settings, "kind", "one", "which"); });
  testing::expect_parts(said, {"t.toml:2", "kind", "tow", "one, two", "did you mean \"two\"?"});
}

}  // namespace trilemma::table_test
