// Layers of the configuration (src/settings/settings.hpp): base files under the file, [modes.*] and
// [methods.*] over it, --set over all; keys that no part reads; the resolved file reads as itself.

#include <gtest/gtest.h>

#include "settings/settings.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::settings_layers_test {

using testing::expect_parts;
using testing::refusal;
using testing::TempFolder;

constexpr const char* layered = R"(method = "b"
mode = "m"
rate = 1.0
batch = 1
kept = 1
[modes.m]
rate = 2.0
batch = 2
[modes.other]
rate = 9.0
[methods.a]
rate = 8.0
[methods.b]
rate = 3.0
local.k = 5
)";

double rate(const std::vector<std::string>& overrides) {
  return Settings::from_text(layered, "e.toml", overrides).number("rate", 0, {}, "");
}

TEST(SettingsLayers, MethodOverModeOverFile) {
  Settings s = Settings::from_text(layered, "e.toml");
  EXPECT_EQ(s.number("rate", 0, {}, ""), 3.0);
  EXPECT_EQ(s.integer("batch", 0, {}, ""), 2);
  EXPECT_EQ(s.integer("kept", 0, {}, ""), 1);
  EXPECT_EQ(s.section("local").integer("k", 0, {}, ""), 5);
}

TEST(SettingsLayers, TheCommandLineChoosesTheLayersAndWins) {
  EXPECT_EQ(rate({"method=a"}), 8.0);
  EXPECT_EQ(rate({"method=none-such"}), 2.0);
  EXPECT_EQ(rate({"method=c", "mode=other"}), 9.0);
  EXPECT_EQ(rate({"rate=0.25"}), 0.25);
  EXPECT_EQ(rate({"rate=0.25", "rate=0.5"}), 0.5);
  EXPECT_EQ(rate({" rate = 0.75 "}), 0.75);
}

TEST(SettingsLayers, WordsOfTheCommandLineNeedNoQuotes) {
  Settings s = Settings::from_text("", "e.toml", {"name=two words", "path.to=a/b.toml", "n=\"7\""});
  EXPECT_EQ(s.text("name", "", ""), "two words");
  EXPECT_EQ(s.section("path").text("to", "", ""), "a/b.toml");
  EXPECT_EQ(s.text("n", "", ""), "7");
}

TEST(SettingsLayers, RefusesABrokenCommandLine) {
  expect_parts(refusal([] { Settings::from_text("", "e", {"rate"}); }), {"--set rate", "="});
  expect_parts(refusal([] { Settings::from_text("", "e", {"=3"}); }), {"--set"});
  Settings s = Settings::from_text("rate = 1", "e", {"rate=fast"});
  expect_parts(refusal([&] { s.number("rate", 0, {}, ""); }), {"--set", "rate", "fast"});
}

TEST(SettingsLayers, BaseFilesLieBelow) {
  const TempFolder folder;
  folder.write("base.toml", "a = 1\nb = 1\n[t]\nx = 1\ny = 1\n");
  folder.write("sub/middle.toml", "base = \"../base.toml\"\nb = 2\nc = 2\n[t]\ny = 2\n");
  const std::string file = folder.write("top.toml", "base = \"sub/middle.toml\"\nc = 3\n");
  Settings s = Settings::from_file(file, {});
  EXPECT_EQ(s.integer("a", 0, {}, ""), 1);
  EXPECT_EQ(s.integer("b", 0, {}, ""), 2);
  EXPECT_EQ(s.integer("c", 0, {}, ""), 3);
  EXPECT_EQ(s.section("t").integer("x", 0, {}, ""), 1);
  EXPECT_EQ(s.section("t").integer("y", 0, {}, ""), 2);
  EXPECT_EQ(s.folder(), folder.path());
}

// What a file says holds against the layers of the files below it, and its own layers against that.
TEST(SettingsLayers, AFileLiesAboveTheLayersOfItsBase) {
  const TempFolder folder;
  folder.write("base.toml",
               "method = \"m\"\n[t]\nx = 1\ny = 1\nz = 1\n[methods.m.t]\nx = 2\ny = 2\nz = 2\n"
               "[modes.private.t]\nv = 2\nw = 2\n");
  const std::string file = folder.write("top.toml",
                                        "base = \"base.toml\"\nmode = \"private\"\n[t]\nx = 3\n"
                                        "z = 3\nv = 3\n[methods.m.t]\nz = 4\n");
  Settings s = Settings::from_file(file, {});
  Settings t = s.section("t");
  EXPECT_EQ(t.integer("x", 0, {}, ""), 3);
  EXPECT_EQ(t.integer("y", 0, {}, ""), 2);
  EXPECT_EQ(t.integer("z", 0, {}, ""), 4);
  EXPECT_EQ(t.integer("v", 0, {}, ""), 3);
  EXPECT_EQ(t.integer("w", 0, {}, ""), 2);
}

TEST(SettingsLayers, MessagesNameTheFileThatSetsTheKey) {
  const TempFolder folder;
  const std::string base = folder.write("base.toml", "\n\nrate = \"fast\"\n");
  Settings s = Settings::from_file(folder.write("top.toml", "base = \"base.toml\"\n"), {});
  expect_parts(refusal([&] { s.number("rate", 0, {}, ""); }), {base + ":3"});
}

TEST(SettingsLayers, RefusesMissingAndCircularFiles) {
  const TempFolder folder;
  expect_parts(refusal([&] { Settings::from_file(folder.at("none.toml"), {}); }),
               {"none.toml", "no such experiment file"});
  const auto circle = folder.write("circle.toml", "base = \"circle.toml\"\n");
  expect_parts(refusal([&] { Settings::from_file(circle, {}); }), {"circle.toml", "base"});
  const auto wrong = folder.write("wrong.toml", "x = 1\nbase = 3\n");
  expect_parts(refusal([&] { Settings::from_file(wrong, {}); }), {"wrong.toml:2", "base"});
}

TEST(SettingsLayers, UnknownKeysAreRefusedWithTheNearestKnown) {
  const Settings s = Settings::from_text("rate = 1\n[local]\nbach = 3\n", "e.toml");
  expect_parts(refusal([&] {
                 s.refuse_unknown({"rate", "local.batch"});
               }),
               {"e.toml:3", "local.bach", "unknown key", "did you mean \"local.batch\"?"});
  const Settings asked = Settings::from_text("rate = 1\n", "e.toml", {"local.bach=3"});
  expect_parts(refusal([&] {
                 asked.refuse_unknown({"rate", "local.batch"});
               }),
               {"--set", "local.bach", "unknown key"});
}

TEST(SettingsLayers, AllUnknownKeysAreNamedByTheirLines) {
  const Settings s = Settings::from_text("z = 1\n[local]\nbach = 3\n", "e.toml");
  const std::string all = refusal([&] { s.refuse_unknown({"rate", "local.batch"}); });
  expect_parts(all, {"e.toml:1: z: unknown key", "e.toml:3: local.bach: unknown key"});
  EXPECT_LT(all.find("e.toml:1"), all.find("e.toml:3"));
}

TEST(SettingsLayers, UnknownKeysOfLayersThatAreNotChosenAreRefusedToo) {
  const Settings s = Settings::from_text("method = \"a\"\n[methods.b]\nlocal.bach = 3\n", "e.toml");
  expect_parts(refusal([&] {
                 s.refuse_unknown({"method", "local.batch"});
               }),
               {"e.toml:3", "bach", "unknown key"});
}

TEST(SettingsLayers, AnUnknownKeyOfTheChosenLayerIsNamedOnce) {
  const Settings s = Settings::from_text("method = \"b\"\n[methods.b]\nlocal.bach = 3\n", "e.toml");
  const std::string all = refusal([&] { s.refuse_unknown({"method", "local.batch"}); });
  EXPECT_EQ(all.find("unknown key"), all.rfind("unknown key")) << all;
}

TEST(SettingsLayers, FilesLieAboveTheirBaseAndTheCommandLineAboveAll) {
  const testing::TempFolder folder;
  folder.write("base.toml", "a = 1\nb = 2\n[methods.m]\nd = 1\n");
  const auto file = folder.write("e.toml", "base = \"base.toml\"\na = 3\n");
  const Settings s = Settings::from_file(file, {"c=4", "method=m"});
  const auto above = [&](const char* key, const char* other) {
    return s.origin(key).lies_above(s.origin(other));
  };
  EXPECT_TRUE(above("a", "b") && above("c", "a") && above("b", "unset"));
  EXPECT_FALSE(above("b", "a") || above("d", "a") || above("b", "d"));
  EXPECT_EQ(s.origin("unset").source, SettingSource::default_value);
  EXPECT_EQ(s.origin("b").source, SettingSource::base);
  EXPECT_EQ(s.origin("a").source, SettingSource::experiment);
  EXPECT_EQ(s.origin("c").source, SettingSource::command_line);
  EXPECT_TRUE(s.origin("d").in_layer && s.origin("d").source == SettingSource::base);
  EXPECT_TRUE(s.origin("c").is_asked_for() && !s.origin("a").is_asked_for());
  const Settings cell = Settings::from_file(file, {"c=4"}, SettingSource::sweep);
  EXPECT_EQ(cell.origin("c").source, SettingSource::sweep);
}

TEST(SettingsLayers, KnownKeysThatNobodyReadsPassInFilesOnly) {
  const Settings file = Settings::from_text("k = 1\n", "e.toml");
  EXPECT_NO_THROW(file.refuse_unknown({"k"}));
  EXPECT_NO_THROW(file.refuse_unused());
  Settings asked = Settings::from_text("", "e.toml", {"k=1"});
  expect_parts(refusal([&] { asked.refuse_unused(); }), {"--set k", "do not read"});
  asked.integer("k", 0, {}, "");
  EXPECT_NO_THROW(asked.refuse_unused());
}

// The mistake that `call` throws.
template <class Call>
Mistake mistake_of(Call&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.mistake();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(SettingsLayers, RefusalsHaveFields) {
  Settings file = Settings::from_text("\n[t]\nk = 9\n", "e.toml", {"t.other=3"});
  Settings table = file.section("t");
  const Mistake in_file =
      mistake_of([&] { table.integer("k", 0, {.low = 0, .high = 5}, "a number"); });
  EXPECT_EQ(in_file.place, (SourcePlace{"e.toml", 3}));
  EXPECT_EQ(in_file.key, "t.k");
  EXPECT_EQ(in_file.value, "9");
  EXPECT_NE(in_file.problem.find("[0, 5]"), std::string::npos) << in_file.problem;
  const Mistake commanded = mistake_of([&] { table.refuse("other", "too small"); });
  EXPECT_EQ(commanded.place, SourcePlace::command_line());
  EXPECT_EQ(commanded.key + ' ' + commanded.value + ' ' + commanded.problem, "t.other 3 too small");
  table.integer("absent", 4, {}, "a number");
  const Mistake by_default = mistake_of([&] { table.refuse("absent", "no"); });
  EXPECT_EQ(by_default.place, (SourcePlace{"e.toml", 0}));
  EXPECT_EQ(by_default.value, "4 (default)");
  const Mistake unread = mistake_of([&] { file.refuse_unused(); });
  EXPECT_EQ(unread.key, "t.other");
  EXPECT_EQ(unread.place, SourcePlace::command_line());
}

TEST(SettingsLayers, RefusesLayersOfUnknownNames) {
  Settings s = Settings::from_text("[methods.sgdd]\nrate = 1\n", "e.toml");
  expect_parts(refusal([&] {
                 s.refuse_unknown_layers("methods", {"sgd", "gd"});
               }),
               {"e.toml:1", "methods.sgdd", "did you mean \"sgd\"?"});
  EXPECT_NO_THROW(s.refuse_unknown_layers("methods", {"sgdd"}));
}

TEST(SettingsLayers, TheResolvedFileReadsAsItself) {
  auto read = [](Settings s) {
    s.integer("rounds", 5, at_least(1), "T");
    s.text("name", "a \"quoted\" name \\ with\ttabs", "words");
    s.flag("on", true, "switch");
    s.optional_number("sigma", at_least(0), "noise");
    Settings t = s.section("part");
    t.number("small", 1e-300, {}, "tiny");
    t.number("third", 1.0 / 3.0, {}, "periodic");
    t.number("whole", 2, {}, "a whole number");
    t.number_or("step", "theory", {}, "gamma");
    return s.records();
  };
  const auto first = read(Settings::from_text("rounds = 9\n[part]\nstep = 0.1\n", "e.toml"));
  for (const auto as_text : {to_toml, to_annotated_toml}) {
    const std::string text = as_text(first);
    const auto again = read(Settings::from_text(text, "resolved.toml"));
    ASSERT_EQ(again.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(again[i].path, first[i].path);
      EXPECT_EQ(again[i].value, first[i].value) << text;
    }
    EXPECT_EQ(as_text(again), text);
  }
}

TEST(SettingsEntries, StandInTheOrderOfTheFile) {
  const auto all = Settings::from_text(R"(zeta = 1
alpha.late = "x"
[table]
"quoted.key" = [true, 2.5, "word", 3]
[[row]]
b = []
a = [[1], 1979-05-27]
[[row]]
b = {d = 1, c = 2}
)",
                                       "e.toml")
                       .entries();
  std::vector<std::string> paths, places;
  for (const auto& entry : all) {
    paths.push_back(entry.path);
    places.push_back(entry.place.text());
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"zeta", "alpha.late", "table.quoted.key", "row[0].b",
                                             "row[0].a", "row[1].b.d", "row[1].b.c"}));
  EXPECT_EQ(places, (std::vector<std::string>{"e.toml:1", "e.toml:2", "e.toml:4", "e.toml:6",
                                              "e.toml:7", "e.toml:9", "e.toml:9"}));
  EXPECT_FALSE(all[0].is_list);
  EXPECT_EQ(all[0].values, (std::vector<SettingValue>{{std::int64_t{1}, "1"}}));
  EXPECT_TRUE(all[2].is_list);
  EXPECT_EQ(
      all[2].values,
      (std::vector<SettingValue>{
          {true, "true"}, {2.5, "2.5"}, {std::string("word"), "'word'"}, {std::int64_t{3}, "3"}}));
  EXPECT_TRUE(all[3].is_list);
  EXPECT_TRUE(all[3].values.empty());
  for (const auto& value : all[4].values) EXPECT_EQ(value.value.index(), 0U) << value.toml;
}

}  // namespace trilemma::settings_layers_test
