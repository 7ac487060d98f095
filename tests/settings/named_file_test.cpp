// Files that settings name (src/settings/named_file.hpp): found, read and checksummed once each.

#include "settings/named_file.hpp"

#include <gtest/gtest.h>

#include "settings/settings.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::named_file_test {

using testing::expect_parts;
using testing::refusal;
using testing::TempFolder;

// sha256sum of "a" and of "b".
constexpr const char* sum_of_a = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
constexpr const char* sum_of_b = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d";

TEST(NamedFile, NoFileIsNone) {
  const NamedFile none;
  EXPECT_FALSE(none.is_set());
  EXPECT_EQ(none.path(), "");
  none.require_same();
}

TEST(NamedFile, SumIsThatOfTheContent) {
  const TempFolder folder;
  const NamedFile file(folder.write("x", "a"));
  EXPECT_EQ(file.sum(), sum_of_a);
  EXPECT_EQ(file.content(), "a");
}

// A later reader of the content gets the bytes of the checksum, or a refusal.
TEST(NamedFile, ContentIsReadOnce) {
  const TempFolder folder;
  const NamedFile file(folder.write("x", "a"));
  EXPECT_EQ(file.content(), "a");
  folder.write("x", "b");
  EXPECT_EQ(file.content(), "a");
  EXPECT_EQ(file.sum(), sum_of_a);
  file.require_same();
}

TEST(NamedFile, RefusesAFileThatChangesMeanwhile) {
  const TempFolder folder;
  const NamedFile file(folder.write("x", "a"));
  const NamedFile copy = file;
  EXPECT_EQ(file.sum(), sum_of_a);
  folder.write("x", "b");
  for (const auto& sentence :
       {refusal([&] { copy.content(); }), refusal([&] { copy.require_same(); })})
    expect_parts(sentence, {"x: its SHA-256 is 3e23e8160039... now", "ca978112ca1b..."});
}

TEST(NamedFile, RefusesWhatIsNoFile) {
  const TempFolder folder;
  expect_parts(refusal([&] { NamedFile(folder.path()).content(); }), {"a folder"});
  expect_parts(refusal([&] { NamedFile(folder.at("none")).content(); }), {"none"});
  expect_parts(refusal([&] { NamedFile(folder.at("none")).sum(); }), {"none"});
  expect_parts(refusal([&] { NamedFile("/dev/zero").content(); }), {"a pipe or a device"});
}

TEST(NamedFile, IsFoundBesideTheFileThatNamesIt) {
  const TempFolder folder;
  folder.write("x", "a");
  Settings settings = Settings::from_file(folder.write("e.toml", "[part]\nfile = 'x'\n"), {});
  Settings part = settings.section("part");
  const NamedFile file = part.file("file", "a file");
  EXPECT_EQ(file.key(), "part.file");
  EXPECT_EQ(file.path(), folder.at("x"));
  EXPECT_EQ(file.content(), "a");
  ASSERT_EQ(settings.files().size(), 1U);
  // The resolved configuration has the absolute path, where any other reader finds it.
  EXPECT_EQ(settings.records()[0].value, "'" + folder.at("x") + "'");
  EXPECT_TRUE(settings.records()[0].names_file());
  // Parts that are made again read the same bytes.
  folder.write("x", "b");
  EXPECT_EQ(part.file("file", "a file").content(), "a");
  EXPECT_EQ(settings.files().size(), 1U);
}

TEST(NamedFile, RefusesTheNameOfNoFile) {
  Settings settings = Settings::from_text("file = 'none'\n", "e.toml");
  expect_parts(refusal([&] { settings.file("file", "a file"); }),
               {"e.toml:1: file = 'none': no such file"});
  Settings empty = Settings::from_text("file = ''\n", "e.toml");
  EXPECT_FALSE(empty.file("file", "a file").is_set());
  EXPECT_TRUE(empty.files().empty());
}

// The configuration of a run file: files may be missing, and those that are read must be the same.
TEST(NamedFile, HasTheSumThatARunFileRecords) {
  const TempFolder folder;
  const std::string here = folder.write("here", "a");
  const std::string gone = folder.at("gone");
  const std::string other = folder.write("other", "a");
  Settings settings = Settings::from_text(
      "here = '" + here + "'\ngone = '" + gone + "'\nother = '" + other + "'\n", "run.h5");
  settings.take_recorded_sums({{here, sum_of_b}, {gone, sum_of_b}});
  const NamedFile changed = settings.file("here", "a file");
  EXPECT_EQ(changed.sum(), sum_of_b);
  expect_parts(refusal([&] { changed.content(); }), {here + " (here)", "is ca978112ca1b... now",
                                                     "3e23e8160039... when the run was made"});
  EXPECT_EQ(settings.file("gone", "a file").sum(), sum_of_b);
  // Nothing is recorded for this file.
  EXPECT_EQ(settings.file("other", "a file").sum(), "");
  EXPECT_EQ(settings.file("other", "a file").content(), "a");
}

}  // namespace trilemma::named_file_test
