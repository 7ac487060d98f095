// Files of LEAF (src/data/leaf.hpp) and ZIP archives (src/data/zip.hpp): values by hand, and every
// refusal with file and user.

#include "data/leaf.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/source.hpp"
#include "data/zip.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::leaf_test {

using testing::expect_parts;

constexpr const char* two_users = R"({
  "users": ["w2", "w1"], "num_samples": [2, 1],
  "user_data": {"w1": {"x": [[0.25, 1]], "y": [2]},
                "w2": {"x": [[0, 0.5], [1, 1e-1]], "y": [1, 0.0]}}})";
constexpr const char* third_user =
    R"({"users": ["w3"], "num_samples": [1], "user_data": {"w3": {"x": [[1, 1]], "y": [2]}}})";

class Leaf : public ::testing::Test {
 protected:
  Dataset read(const std::string& text, int classes = 3) {
    UserNumbers users;
    LeafReading found;
    return read_leaf({folder_.write("a.json", text)}, 2, ClassMap(classes), users, found);
  }
  std::string refused(const std::string& text, int classes = 3) {
    return testing::refusal([&] { read(text, classes); });
  }
  // The file of one user "u" with one record.
  static std::string one(const std::string& x, const std::string& y, const char* count = "1") {
    return std::string(R"({"users": ["u"], "num_samples": [)") + count +
           R"(], "user_data": {"u": {"x": )" + x + R"(, "y": )" + y + "}}}";
  }
  testing::TempFolder folder_;
  LeafReading found_;
};

TEST_F(Leaf, ReadsUsersInTheOrderOfTheFile) {
  const Dataset data = read(two_users);
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(data.user, (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_EQ(std::get<DenseRows>(data.rows).value,
            (Vector{0, 0.5, 1, static_cast<real>(0.1), 0.25, 1}));
  EXPECT_EQ(data.classes, 3);
}

TEST_F(Leaf, ReadsArchivesAndSeveralFiles) {
  const std::string zip = folder_.at("a.zip");
  testing::write_zip(zip, {{"b/2.json", third_user},
                           {"b/1.json", two_users},
                           {"b/notes.txt", "no"},
                           {"__MACOSX/b/._1.json", "no"}});
  UserNumbers users;
  const Dataset data = read_leaf({zip}, 2, ClassMap(3), users, found_);
  EXPECT_EQ(data.user, (std::vector<std::uint32_t>{0, 0, 1, 2}));
  UserNumbers again;
  const Dataset plain = read_leaf({folder_.write("1.json", std::string(two_users)),
                                   folder_.write("2.json", std::string(third_user))},
                                  2, ClassMap(3), again, found_);
  EXPECT_EQ(plain.user, data.user);
  EXPECT_EQ(std::get<DenseRows>(plain.rows).value, std::get<DenseRows>(data.rows).value);
  expect_parts(testing::refusal([&] {
                 UserNumbers fresh;
                 read_leaf({folder_.at("1.json"), zip}, 2, ClassMap(3), fresh, found_);
               }),
               {"a.zip:b/1.json", "\"w2\"", "twice"});
}

TEST_F(Leaf, TestFilesHaveTheUsersOfTraining) {
  folder_.write("train.json", two_users);
  folder_.write("test.json", one("[[1, 2]]", "[0]"));
  const auto load = [&](const std::string& more) {
    Settings settings = Settings::from_text(
        "train = 'train.json'\ntest = 'test.json'\nfeatures = 2\nclasses = 3\n" + more, "e.toml");
    return row(sources(), "leaf").make(settings)->load(folder_.path(), 1);
  };
  expect_parts(testing::refusal([&] { load("users = 'strict'"); }),
               {"test.json", "\"u\"", "no training file", "data.users = \"listed\""});
  // LEAF's split by users: one test set of all.
  const TrainTest data = load("");
  EXPECT_EQ(data.test.size(), 1U);
  EXPECT_TRUE(data.test.user.empty());
  ASSERT_FALSE(data.notes.empty());
  expect_parts(data.notes[0], {"1 user (\"u\")", "no training records", "data.users"});
  folder_.write("test.json",
                R"({"users":["w1"],"num_samples":[1],"user_data":{"w1":{"x":[[1,2]],"y":[0]}}})");
  EXPECT_EQ(load("").test.user, (std::vector<std::uint32_t>{1}));
}

// w2 has no records, w3 is in no list.
constexpr const char* odd_users = R"({
  "users": ["w1", "w2"], "num_samples": [1, 0],
  "user_data": {"w1": {"x": [[0, 1]], "y": [2]}, "w2": {"x": [], "y": []},
                "w3": {"x": [[1, 1]], "y": [0]}}})";

TEST_F(Leaf, UsersAreChosenByARule) {
  const std::string file = folder_.write("a.json", odd_users);
  const auto read = [&](UserRule rule, LeafReading& found) {
    found.rule = rule;
    UserNumbers users;
    return read_leaf({file}, 2, ClassMap(3), users, found);
  };
  LeafReading listed, strict, common, all;
  for (auto* found : {&listed, &strict})
    expect_parts(testing::refusal(
                     [&] { read(found == &listed ? UserRule::listed : UserRule::strict, *found); }),
                 {"a.json", "user \"w2\" has no records to train on", "data.users = \"common\""});
  EXPECT_EQ(read(UserRule::common, common).user, (std::vector<std::uint32_t>{0}));
  ASSERT_EQ(common.notes.size(), 2U);
  expect_parts(common.notes[0], {"1 user (\"w3\")", "in no list", "left out"});
  expect_parts(common.notes[1], {"1 user (\"w2\")", "no records"});
  EXPECT_EQ(read(UserRule::all, all).label, (std::vector<std::int32_t>{2, 0}));
  expect_parts(all.notes[0], {"\"w3\"", "are used"});
}

TEST_F(Leaf, NamesTheUserOfANumberThatIsNone) {
  for (const std::string number : {"NaN", "Infinity", "-Infinity"})
    expect_parts(refused(one("[[" + number + ", 2]]", "[0]")),
                 {"a.json", "user \"u\"", number.substr(number[0] == '-' ? 1 : 0), "json.dumps",
                  "remove the record"});
}

TEST_F(Leaf, NamesTextThatIsNoFeatures) {
  expect_parts(refused(one("[[\"a tweet\"]]", "[0]")),
               {"\"u\"", "text", "data.source = \"arrays\""});
  expect_parts(refused(one("[\"to be or not\"]", "[0]")), {"\"u\"", "text"});
}

TEST_F(Leaf, RefusesWhatIsNoFileOfLeaf) {
  expect_parts(testing::refusal([&] {
                 UserNumbers users;
                 read_leaf({folder_.at("none.json")}, 2, ClassMap(3), users, found_);
               }),
               {"none.json", "no such data file"});
  expect_parts(refused(std::string(two_users).substr(0, 100)), {"a.json", "no JSON from byte"});
  expect_parts(refused(""), {"a.json", "empty"});
  expect_parts(refused(" "), {"a.json", "no JSON"});
  expect_parts(refused("[1]"), {"a.json", "\"users\" is missing"});
  expect_parts(refused(R"({"users": [], "num_samples": [], "user_data": {}})"), {"no record"});
  expect_parts(refused(R"({"users": ["a"], "num_samples": [], "user_data": {}})"), {"same length"});
  expect_parts(refused(R"({"users": [7], "num_samples": [1], "user_data": {}})"), {"users[0]"});
  expect_parts(refused(R"({"users": ["a"], "num_samples": [1], "user_data": {}})"),
               {"user_data of \"a\" is missing"});
}

TEST_F(Leaf, RefusesDamagedRecords) {
  expect_parts(refused(one("[[1, 2]]", "[0]", "2")), {"\"u\" has 1 records", "says 2"});
  expect_parts(refused(one("[[1, 2]]", "[0, 1]")), {"\"u\"", "same length"});
  expect_parts(refused(one("[[1, 2, 3]]", "[0]")), {"record 0", "3 values", "data.features = 2"});
  expect_parts(refused(one("[1, 2]", "[0, 1]", "2")), {"record 0", "1 values"});
  for (const char* odd : {"null", "\"1\"", "true"})
    expect_parts(refused(one(std::string("[[1, ") + odd + "]]", "[0]")), {"not a finite number"});
  for (const char* odd : {"3", "-1", "0.5", "\"a\"", "null"})
    expect_parts(refused(one("[[1, 2]]", std::string("[") + odd + "]")),
                 {"record 0", "label", "whole number"});
}

TEST_F(Leaf, RefusesDamagedArchives) {
  const std::string zip = folder_.at("a.zip");
  auto refusal = [&] {
    return testing::refusal([&] {
      UserNumbers users;
      read_leaf({zip}, 2, ClassMap(3), users, found_);
    });
  };
  testing::write_zip(zip, {{"a.txt", "x"}});
  expect_parts(refusal(), {"a.zip", "no file *.json"});
  testing::write_zip(zip, {{"1.json", two_users}});
  auto bytes = testing::bytes_of(zip);
  bytes[40] ^= 0x20;  // in the compressed content
  folder_.write("a.zip", bytes);
  expect_parts(refusal(), {"a.zip", "1.json", "fetch the archive again"});
  bytes.resize(bytes.size() / 2);
  folder_.write("a.zip", bytes);
  expect_parts(refusal(), {"a.zip", "cannot be opened as a ZIP archive"});
  folder_.write("a.zip", std::string(two_users));
  expect_parts(refusal(), {"a.zip", "ZIP archive"});
}

// A number that no double holds, an error of the JSON library that is no parse error.
TEST_F(Leaf, RefusesNumbersTooLargeForADouble) {
  expect_parts(refused(one("[[1e400, 2]]", "[0]")), {"a.json", "too large"});
}

// What is not a number may be a list in a list in a list: it is not printed.
TEST_F(Leaf, RefusesDeepListsInAFewWords) {
  constexpr std::size_t depth = 1'000'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  const std::string sentence = refused(one("[[" + deep + ", 2]]", "[0]"));
  expect_parts(sentence, {"a.json", "record 0", "a list is not a finite number"});
  EXPECT_LT(sentence.size(), 200U);
  expect_parts(refused(one("[[1, 2]]", "[" + deep + "]")), {"a list is not a whole number"});
}

TEST_F(Leaf, MessagesHoldNoControlCharacters) {
  expect_parts(refused(R"({"users": ["a\u001b\n"], "num_samples": [1], "user_data": {}})"),
               {"user_data of \"a\\x1b\\n\" is missing"});
}

TEST(Zip, IsSortedByName) {
  const testing::TempFolder folder;
  const std::string zip = folder.at("b.zip");
  testing::write_zip(zip, {{"z.json", "1"}, {"a/b.json", "2"}, {".hidden.json", "3"}});
  std::vector<std::string> found;
  const ZipArchive archive(zip, ".json");
  archive.each(1, [&](const ZipEntry& entry) { found.push_back(entry.name + entry.content); });
  EXPECT_EQ(found, (std::vector<std::string>{"a/b.json2", "z.json1"}));
}

TEST(Zip, RefusesMoreThanIsReadOfOneFile) {
  const testing::TempFolder folder;
  const std::string zip = folder.at("b.zip");
  testing::write_zip(zip, {{"a.json", std::string(1000, ' ')}});
  const ZipArchive archive(zip, ".json");
  expect_parts(testing::refusal([&] { archive.each(999, [](const ZipEntry&) {}); }),
               {"b.zip", "a.json", "1000 bytes", "at most 999"});
  EXPECT_NO_THROW(archive.each(1000, [](const ZipEntry&) {}));
}

// The directory at the end of the archive states another size than the content has.
TEST(Zip, RefusesContentOfAnotherSizeThanTheDirectoryStates) {
  const testing::TempFolder folder;
  const std::string zip = folder.at("b.zip");
  testing::write_zip(zip, {{"a.json", std::string(1000, ' ')}});
  const auto bytes = testing::bytes_of(zip);
  const std::string mark = "PK\x01\x02";
  const auto directory = std::search(bytes.begin(), bytes.end(), mark.begin(), mark.end());
  ASSERT_NE(directory, bytes.end());
  for (const auto& [size, words] :
       {std::pair(500, "longer than the 500"), std::pair(1001, "1000 of the 1001 bytes")}) {
    auto forged = bytes;
    const auto at = static_cast<std::size_t>(directory - bytes.begin()) + 24;
    forged[at] = static_cast<std::uint8_t>(size % 256);
    forged[at + 1] = static_cast<std::uint8_t>(size / 256);
    folder.write("b.zip", forged);
    const std::string sentence =
        testing::refusal([&] { ZipArchive(zip, ".json").each(1U << 20U, [](const ZipEntry&) {}); });
    expect_parts(sentence, {"b.zip", "a.json", "fetch the archive again"});
    EXPECT_TRUE(sentence.find(words) != std::string::npos ||
                sentence.find("damaged") != std::string::npos)
        << sentence;
  }
}

// Archives are not refused by libzip where two files have one name.
TEST(Zip, RefusesANameThatComesTwice) {
  const testing::TempFolder folder;
  const std::string zip = folder.at("b.zip");
  testing::write_zip(zip, {{"a.json", "1"}, {"b.json", "2"}});
  auto bytes = testing::bytes_of(zip);
  for (std::size_t i = 0; i + 6 <= bytes.size(); ++i)
    if (std::string(bytes.begin() + static_cast<long>(i),
                    bytes.begin() + static_cast<long>(i) + 6) == "b.json")
      bytes[i] = 'a';
  folder.write("b.zip", bytes);
  expect_parts(testing::refusal([&] { ZipArchive(zip, ".json"); }), {"b.zip", "a.json", "twice"});
}

}  // namespace trilemma::leaf_test
