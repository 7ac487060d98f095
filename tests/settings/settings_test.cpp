// Strict settings (src/settings/settings.hpp): readings, defaults, and refusals that
// name file, line, key, value and what is allowed.

#include "settings/settings.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace trilemma::settings_test {

using testing::expect_parts;
using testing::refusal;

Settings example() {
  return Settings::from_text(R"(rounds = 7
rate = 0.5
quiet = true
name = "x"

[local]
batch = 12
word = "theory"
)",
                             "e.toml");
}

TEST(Settings, ReadsEveryType) {
  Settings s = example();
  EXPECT_EQ(s.integer("rounds", 1, at_least(1), ""), 7);
  EXPECT_EQ(s.number("rate", 0.1, positive(), ""), 0.5);
  EXPECT_EQ(s.number("rounds", 0.1, positive(), ""), 7.0);  // a whole number is a number
  EXPECT_TRUE(s.flag("quiet", false, ""));
  EXPECT_EQ(s.text("name", "", ""), "x");
  Settings local = s.section("local");
  EXPECT_EQ(local.integer("batch", 1, at_least(1), ""), 12);
  EXPECT_EQ(local.number_or("word", "theory", positive(), ""), std::nullopt);
  EXPECT_EQ(local.number_or("batch", "theory", positive(), ""), 12.0);
  EXPECT_EQ(local.optional_number("batch", positive(), ""), 12.0);
  EXPECT_TRUE(local.has("batch"));
  EXPECT_FALSE(local.has("rounds"));
}

TEST(Settings, AbsentKeysGiveTheDefaultAndAreRecorded) {
  Settings s = Settings::empty();
  EXPECT_EQ(s.integer("rounds", 3, at_least(1), "how many"), 3);
  EXPECT_EQ(s.section("a").section("b").number("c", 0.25, at_least(0), "deep"), 0.25);
  EXPECT_EQ(s.optional_number("sigma", at_least(0), "noise"), std::nullopt);
  ASSERT_EQ(s.records().size(), 3U);
  EXPECT_EQ(s.records()[0].path, "rounds");
  EXPECT_EQ(s.records()[0].value, "3");
  EXPECT_EQ(s.records()[0].help, "how many");
  EXPECT_EQ(s.records()[1].path, "a.b.c");
  EXPECT_EQ(s.records()[1].default_value, "0.25");
  EXPECT_EQ(s.records()[2].value, "");
}

TEST(Settings, HelpNamesTheDefaultsOfOtherParts) {
  Settings s = Settings::empty();
  for (const double value : {0.3, 1.0, 0.3, 2.0, 1.0}) s.number("rate", value, {}, "eta");
  ASSERT_EQ(s.records().size(), 1U);
  ASSERT_EQ(s.records()[0].others.size(), 2U);
  EXPECT_EQ(s.records()[0].others[1].default_value, "2.0");
  EXPECT_EQ(to_annotated_toml(s.records()),
            "# eta; default of other parts: 1.0, 2.0\nrate = 0.3\n");
}

TEST(Settings, AnOptionalNumberNamesNoDefault) {
  Settings s = Settings::from_text("epsilon = 2\nwrong = \"7\"\nlow = -1\n[t]\n", "e.toml");
  EXPECT_EQ(s.optional_number("epsilon", at_least(0), "spent"), 2.0);
  EXPECT_EQ(to_annotated_toml(s.records()), "# spent (no default)\nepsilon = 2.0\n");
  expect_parts(refusal([&] { s.optional_number("wrong", at_least(0), ""); }),
               {"e.toml:2", "wrong = ", "expected a number"});
  expect_parts(refusal([&] { s.optional_number("low", at_least(0), ""); }),
               {"e.toml:3", "low = -1", "expected a number of at least 0"});
  expect_parts(refusal([&] { s.optional_number("t", at_least(0), ""); }), {"t", "number"});
}

TEST(Settings, RefusesWrongTypes) {
  Settings s = Settings::from_text("a = \"7\"\nb = 2.0\nc = 1\nd = 3\n[t]\n", "e.toml");
  expect_parts(refusal([&] { s.integer("a", 1, {}, ""); }), {"e.toml:1", "a = ", "7", "whole"});
  expect_parts(refusal([&] { s.number("a", 1, {}, ""); }), {"e.toml:1", "a = ", "number"});
  expect_parts(refusal([&] { s.integer("b", 1, {}, ""); }), {"e.toml:2", "b = 2.0", "whole"});
  expect_parts(refusal([&] { s.flag("c", true, ""); }), {"e.toml:3", "c = 1", "true or false"});
  expect_parts(refusal([&] { s.text("d", "", ""); }), {"e.toml:4", "d = 3", "text in quotes"});
  expect_parts(refusal([&] { s.number_or("a", "theory", {}, ""); }), {"e.toml:1", "\"theory\""});
  expect_parts(refusal([&] { s.number("t", 1, {}, ""); }), {"t", "number"});
}

// A number that has a default, or a word that leaves it open.
TEST(Settings, ReadsANumberWithADefaultOrAWord) {
  Settings s = Settings::from_text("a = \"theory\"\nb = 2\nc = \"other\"\nd = 2.5\n", "e.toml");
  EXPECT_EQ(s.number_or("a", 0.3, "theory", positive(), "eta"), std::nullopt);
  EXPECT_EQ(s.number_or("b", 0.3, "theory", positive(), "eta"), 2.0);
  EXPECT_EQ(s.number_or("x", 0.3, "theory", positive(), "eta"), 0.3);
  EXPECT_EQ(s.integer_or("y", 7, "theory", positive(), "T"), 7);
  EXPECT_TRUE(s.says("a", "theory") && !s.says("b", "theory") && !s.says("x", "theory"));
  expect_parts(refusal([&] { s.number_or("c", 0.3, "theory", positive(), ""); }),
               {"e.toml:3", "a number above 0 or \"theory\""});
  expect_parts(refusal([&] { s.integer_or("d", 3, "theory", positive(), ""); }),
               {"e.toml:4", "a whole number above 0 or \"theory\""});
  s.resolve("a", 0.1);
  EXPECT_EQ(to_annotated_toml(s.records()),
            "# eta (a number, or \"theory\"); default 0.3\na = 0.1\n"
            "# eta (a number, or \"theory\"); default 0.3\nb = 2.0\n"
            "# eta (a number, or \"theory\")\nx = 0.3\n"
            "# T (a whole number, or \"theory\")\ny = 7\n");
}

TEST(Settings, ReadsTextsAsAListOrAlone) {
  using Texts = std::vector<std::string>;
  const auto read = [](const std::string& toml, const std::vector<std::string>& overrides = {}) {
    Settings s = Settings::from_text(toml, "e.toml", overrides);
    const auto found = s.texts("names", {"x"}, "names");
    // What is recorded reads as the same texts.
    Settings again = Settings::from_text("names = " + s.records()[0].value, "again");
    EXPECT_EQ(again.texts("names", {}, ""), found) << s.records()[0].value;
    EXPECT_EQ(again.records()[0].default_value, "[]");
    return found;
  };
  EXPECT_EQ(read(""), Texts{"x"});
  EXPECT_EQ(read("names = []"), Texts{});
  EXPECT_EQ(read("names = \"a, b\""), Texts{"a, b"});
  EXPECT_EQ(read("names = [\"a\", 'q\"']"), (Texts{"a", "q\""}));
  EXPECT_EQ(read("names = []", {"names=a/b"}), Texts{"a/b"});
  for (const char* bad : {"7", "[\"a\", 7]", "true", "[[\"a\"]]"})
    expect_parts(refusal([&] { read(std::string("\nnames = ") + bad); }), {"e.toml:2", "texts"});
}

TEST(Settings, ReadsListsOfNumbers) {
  using Numbers = std::vector<double>;
  const auto read = [](const std::string& toml, const std::vector<std::string>& overrides = {}) {
    Settings s = Settings::from_text(toml, "e.toml", overrides);
    const auto found = s.numbers("means", {0.5}, {.low = 0, .high = 2}, "means");
    // What is recorded reads as the same numbers.
    Settings again = Settings::from_text("means = " + s.records()[0].value, "again");
    EXPECT_EQ(again.numbers("means", {0.25, 1}, {}, ""), found) << s.records()[0].value;
    EXPECT_EQ(again.records()[0].default_value, "[0.25, 1.0]");
    EXPECT_EQ(s.records()[0].default_value, "0.5");
    return found;
  };
  EXPECT_EQ(read(""), Numbers{0.5});
  EXPECT_EQ(read("means = 1"), Numbers{1});
  EXPECT_EQ(read("means = [0.1, 0.2, 1]"), (Numbers{0.1, 0.2, 1}));
  EXPECT_EQ(read("means = []"), Numbers{});
  EXPECT_EQ(read("means = 1", {"means=[0.1, 2]"}), (Numbers{0.1, 2}));
  for (const char* bad : {"'0.5'", "[0.5, 'a']", "true", "3", "[0.5, -0.5]", "nan", "1e-320"})
    expect_parts(refusal([&] { read(std::string("\nmeans = ") + bad); }), {"e.toml:2", "numbers"});
}

TEST(Settings, ReadsWholeNumbersInEveryWriting) {
  using Numbers = std::vector<long>;
  const auto read = [](const std::string& toml, const std::vector<std::string>& overrides = {}) {
    Settings s = Settings::from_text(toml, "e.toml", overrides);
    const auto found = s.integers("widths", {64}, {.low = 1, .high = 99}, "units");
    // What is recorded reads as the same numbers.
    Settings again = Settings::from_text("widths = " + s.records()[0].value, "again");
    EXPECT_EQ(again.integers("widths", {1, 2}, {}, ""), found) << s.records()[0].value;
    EXPECT_EQ(again.records()[0].default_value, "[1, 2]");
    EXPECT_EQ(s.records()[0].default_value, "64");
    return found;
  };
  EXPECT_EQ(read(""), Numbers{64});
  EXPECT_EQ(read("widths = 7"), Numbers{7});
  EXPECT_EQ(read("widths = [7]"), Numbers{7});
  EXPECT_EQ(read("widths = [12, 7, 3]"), (Numbers{12, 7, 3}));
  EXPECT_EQ(read("widths = []"), Numbers{});
  EXPECT_EQ(read("widths = \"12-7-3\""), (Numbers{12, 7, 3}));
  EXPECT_EQ(read("widths = \"12\""), Numbers{12});
  EXPECT_EQ(read("widths = 7", {"widths=12-3"}), (Numbers{12, 3}));
  EXPECT_EQ(read("widths = 7", {"widths=[12, 3]"}), (Numbers{12, 3}));
  for (const char* bad : {"[7, 0]", "[7, 100]", "0", "[7, 2.0]", "2.0", "\"\"", "\"7-\"", "\"-7\"",
                          "\"7--3\"", "\"7 3\"", "\"a\"", "[[7]]", "[\"7\"]", "true", "\"7-0\""})
    expect_parts(refusal([&] { read(std::string("\nwidths = ") + bad); }),
                 {"e.toml:2", "widths = ", "[128, 64]", "[1, 99]"});
}

TEST(Settings, RefusesValuesOutOfRange) {
  Settings s = Settings::from_text("\n\nk = 0\nx = -1.5\np = 1.0\nn = nan\ni = inf\n", "e.toml");
  expect_parts(refusal([&] { s.integer("k", 1, at_least(1), ""); }),
               {"e.toml:3", "k = 0", "at least 1"});
  expect_parts(refusal([&] { s.number("x", 1, positive(), ""); }),
               {"e.toml:4", "x = -1.5", "above 0"});
  const Range open{.low = 0, .high = 1, .low_open = true, .high_open = true};
  expect_parts(refusal([&] { s.number("p", 0.5, open, ""); }), {"e.toml:5", "(0, 1)"});
  expect_parts(refusal([&] { s.number("n", 1, {}, ""); }), {"e.toml:6"});
  expect_parts(refusal([&] { s.number_or("x", "theory", at_least(0), ""); }), {"e.toml:4"});
  expect_parts(refusal([&] { s.number_or("n", "theory", at_least(0), ""); }), {"e.toml:6"});
}

// A step size, a noise level or a threshold of infinity is never meant.
TEST(Settings, RefusesInfiniteNumbers) {
  Settings s = Settings::from_text("rate = inf", "e.toml");
  expect_parts(refusal([&] { s.number("rate", 1, positive(), ""); }), {"e.toml:1", "rate"});
}

TEST(Settings, RangeContains) {
  EXPECT_FALSE(positive().contains(0));
  EXPECT_TRUE(positive().contains(1e-300));
  EXPECT_TRUE(at_least(2).contains(2));
  EXPECT_FALSE(at_least(2).contains(1.999));
  const Range half{.low = 0, .high = 1, .high_open = true};
  EXPECT_TRUE(half.contains(0));
  EXPECT_FALSE(half.contains(1));
}

TEST(Settings, RefusesAChoiceOutsideTheListWithTheNearest) {
  Settings s = Settings::from_text("mask = \"keyd\"", "e.toml");
  expect_parts(refusal([&] {
                 s.choice("mask", "keyed", {"keyed", "explicit"}, "");
               }),
               {"e.toml:1", "keyd", "keyed, explicit", "did you mean \"keyed\"?"});
}

TEST(Settings, RefusesAValueInThePlaceOfATable) {
  Settings s = Settings::from_text("local = 3", "e.toml");
  expect_parts(refusal([&] { s.section("local"); }), {"e.toml:1", "local = 3", "table"});
}

TEST(Settings, RefuseNamesThePlaceOfTheValueOrOfTheDefault) {
  Settings s = Settings::from_text("\n[compressor]\nk = 9\n", "e.toml");
  Settings c = s.section("compressor");
  c.integer("k", 1, {}, "");
  c.integer("divisor", 20, {}, "");
  EXPECT_EQ(refusal([&] { c.refuse("k", "too large"); }), "e.toml:3: compressor.k = 9: too large");
  EXPECT_EQ(refusal([&] { c.refuse("divisor", "too small"); }),
            "e.toml: compressor.divisor = 20 (default): too small");
}

TEST(Settings, RefusesTextThatIsNotToml) {
  expect_parts(refusal([] { Settings::from_text("a = 1\nb = = 2\n", "e.toml"); }),
               {"e.toml:2", "not valid TOML"});
  expect_parts(refusal([] { Settings::from_text("a = 1\na = 2\n", "e.toml"); }), {"e.toml:2"});
}

}  // namespace trilemma::settings_test
