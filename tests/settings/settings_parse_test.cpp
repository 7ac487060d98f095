// Texts that are made to break the reader of settings (src/settings/settings_parse.cpp), and what
// looks alike and is fine.

#include <gtest/gtest.h>

#include "settings/settings.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::settings_parse_test {

using testing::expect_parts;
using testing::refusal;

std::string refused(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const std::string sentence = refusal([&] { Settings::from_text(text, "e.toml", overrides); });
  EXPECT_LT(sentence.size(), 500U);
  return sentence;
}

// `count` times the text, between them the separator.
std::string chain(std::size_t count, const std::string& text, const std::string& separator = ".") {
  std::string all = text;
  for (std::size_t i = 1; i < count; ++i) all.append(separator).append(text);
  return all;
}

TEST(SettingsParse, RefusesKeysOfTooManyParts) {
  for (const std::size_t parts : {std::size_t{17}, std::size_t{60'000}}) {
    for (const char* part : {"x", "\"=\"", "'['", "\"\\\"\""}) {
      const std::string key = chain(parts, part);
      expect_parts(refused("a = 1\n" + key + " = 1\n"), {"e.toml:2", "more than 16 parts"});
      expect_parts(refused("[" + key + "]\n"), {"e.toml:1", "more than 16 parts"});
      expect_parts(refused("[[" + key + "]]\n"), {"e.toml:1", "more than 16 parts"});
      expect_parts(refused("a = '''\n\n'''\nb = {" + key + " = 1}\n"), {"e.toml:4", "16 parts"});
      expect_parts(refused("", {key + "=1"}), {"--set"});
      // A value that is no TOML is text.
      Settings s = Settings::from_text("", "e.toml", {"a={" + key + "=1}"});
      EXPECT_EQ(s.text("a", "", ""), "{" + key + "=1}");
    }
  }
  expect_parts(refused("", {chain(60'000, "x") + "=1"}), {"--set", "more than 16 parts"});
  expect_parts(refused(chain(60'000, "x", " . ") + " = 1"), {"e.toml:1", "more than 16 parts"});
}

TEST(SettingsParse, RefusesTooManyBrackets) {
  for (const std::size_t depth : {17U, 60'000U}) {
    expect_parts(refused("a = " + std::string(depth, '[')),
                 {"e.toml:1", "more than 16 nested brackets"});
    expect_parts(refused("a = " + chain(depth, "{b", " = ")),
                 {"e.toml:1", "more than 16 nested brackets"});
    expect_parts(refused("a =\\\n" + chain(depth, "[", "\n")), {"more than 16 nested brackets"});
    Settings s = Settings::from_text("", "e.toml", {"a=" + std::string(depth, '[')});
    EXPECT_EQ(s.text("a", "", ""), std::string(depth, '['));
  }
}

TEST(SettingsParse, TakesDotsAndBracketsInTextsCommentsAndLists) {
  const std::string dots = chain(100, "x") + std::string(100, '[');
  Settings s =
      Settings::from_text("# " + dots + "\na = \"" + dots + "\\\"\" # " + dots + "\nb = '" + dots +
                              "'\nc = \"\"\"" + dots + "\"\n\\\"\"\"\"\"\nd = '''" + dots +
                              "'\n'''\ne = [" + chain(100, "1.5", ", ") + "]\nf = \"\"\ng.h = 3\n",
                          "e.toml", {"name=" + dots});
  EXPECT_EQ(s.text("a", "", ""), dots + "\"");
  EXPECT_EQ(s.text("b", "", ""), dots);
  EXPECT_EQ(s.text("c", "", ""), dots + "\"\n\"\"");
  EXPECT_EQ(s.text("d", "", ""), dots + "'\n");
  EXPECT_EQ(s.text("name", "", ""), dots);
  EXPECT_EQ(s.section("g").integer("h", 0, {}, ""), 3);
  // 16 parts and 16 brackets are not too many.
  Settings deep = Settings::from_text(chain(16, "x") + " = 1\n", "e.toml");
  EXPECT_EQ(deep.entries().front().path, chain(16, "x"));
  EXPECT_NO_THROW(Settings::from_text("a = " + std::string(16, '[') + std::string(16, ']'), "e"));
}

TEST(SettingsParse, RefusesFilesThatAreTooLarge) {
  const testing::TempFolder folder;
  const std::string file = folder.write("e.toml", std::string((4U << 20U) + 1, '\n'));
  expect_parts(refusal([&] { Settings::from_file(file, {}); }), {file, "4194305 bytes"});
  folder.write("e.toml", std::string(4U << 20U, '\n'));
  EXPECT_NO_THROW(Settings::from_file(file, {}));
}

TEST(SettingsParse, RefusesWhatIsNoFile) {
  const testing::TempFolder folder;
  expect_parts(refusal([&] { Settings::from_file(folder.at("none"), {}); }),
               {folder.at("none"), "no such experiment file"});
  expect_parts(refusal([&] { Settings::from_file("/dev/zero", {}); }),
               {"/dev/zero", "a pipe or a device, not an experiment file"});
  expect_parts(refusal([&] { Settings::from_file(folder.path(), {}); }),
               {folder.path(), "a folder; name an experiment file in it"});
  std::filesystem::create_symlink("link", folder.at("link"));
  expect_parts(refusal([&] { Settings::from_file(folder.at("link"), {}); }),
               {"link", "cannot be opened"});
}

TEST(SettingsParse, AnOptionSetsOneKey) {
  expect_parts(refused("", {"rounds=1\nclients=3"}), {"--set rounds=1\\nclients=3", "line break"});
  expect_parts(refused("", {"rounds=1\rclients=3"}), {"line break"});
  expect_parts(refused("", {"name=a\x1b[1mb"}), {"control character"});
  expect_parts(refused("", {"name='''a'''\nclients='''b'''"}), {"line break"});
  Settings s = Settings::from_text("", "e.toml", {"name=a\tb"});
  EXPECT_EQ(s.text("name", "", ""), "a\tb");
}

TEST(SettingsParse, LayersDoNotChooseLayers) {
  for (const char* family : {"methods", "modes"})
    for (const char* choice : {"method", "mode"}) {
      const std::string layer = fmt::format("[{}.x]\n{} = 'y'\n", family, choice);
      // Whether the layer is chosen or not.
      for (const char* chosen : {"", "method = 'x'\nmode = 'x'\n"}) {
        const std::string line = *chosen == '\0' ? "e.toml:2" : "e.toml:4";
        expect_parts(refused(chosen + layer),
                     {line, fmt::format("{}.x.{}", family, choice), "outside of the layers"});
      }
      expect_parts(refused("", {fmt::format("{}.x.{}=y", family, choice)}), {"--set", "a layer"});
    }
}

TEST(SettingsParse, AKeyWithADotInsideQuotesIsUnknown) {
  const std::string inside = "\"local.batch\" = 3\n";
  for (const std::string& text : {inside, "[methods.x]\n" + inside})
    expect_parts(
        refusal([&] { Settings::from_text(text, "e.toml").refuse_unknown({"local.batch"}); }),
        {"e.toml:", "\"local.batch\": unknown key", "write local.batch without the quotes"});
  Settings::from_text("local.batch = 3", "e.toml").refuse_unknown({"local.batch"});
}

TEST(SettingsParse, MessagesAreShortAndHoldNoControlCharacters) {
  Settings s =
      Settings::from_text("a = \"\\u001b\\n\"\nb = '" + std::string(100'000, 'x') + "'", "e");
  for (const char* key : {"a", "b"}) {
    const std::string sentence = refusal([&] { s.integer(key, 1, {}, ""); });
    expect_parts(sentence, {"expected a whole number"});
    EXPECT_LT(sentence.size(), 400U);
  }
  expect_parts(refusal([&] { Settings::from_text("\"a\\u001b\" = 1", "e").refuse_unknown({}); }),
               {"a\\x1b", "unknown key"});
  // Texts of several lines stay on one line of the resolved configuration.
  s.text("a", "", "");
  EXPECT_EQ(s.records().back().value, "\"\\u001B\\n\"");
}

}  // namespace trilemma::settings_parse_test
