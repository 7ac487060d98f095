// Posts of Stack Overflow in the form of TensorFlow Federated (src/data/stackoverflow.hpp).

#include "data/stackoverflow.hpp"

#include <gtest/gtest.h>

#include "data/source.hpp"
#include "h5/h5.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::stackoverflow_test {

using testing::expect_parts;
using testing::refusal;
using Texts = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;
using Users = std::vector<std::uint32_t>;

struct User {
  std::string name;
  Texts tokens, title, tags;
};

void write_posts(const std::string& path, const std::vector<User>& users) {
  const h5::File file = h5::File::create(path);
  const h5::Group examples = file.create_group("examples");
  for (const auto& user : users) {
    const h5::Group group = examples.create_group(user.name);
    group.write_texts("tokens", user.tokens, "");
    group.write_texts("title", user.title, "");
    group.write_texts("tags", user.tags, "");
  }
}

// The vocabulary is "the", "a", "how"; tags by count are python, c++, java.
class StackOverflow : public ::testing::Test {
 protected:
  StackOverflow() {
    folder_.write("words", std::string("the 90\na 80\nhow 7\nrare 1\n"));
    folder_.write("tags", std::string(R"({"java": 5, "python": 9, "c++": 5, "old": 1})"));
    write_posts(folder_.at("train.h5"),
                {{"0002", {"the the a code"}, {"how"}, {"java|python"}},
                 {"0001", {"x y", "a a", "the"}, {"", "a the", "how"}, {"java", "old|new", "c++"}},
                 {"0003", {"a"}, {"a"}, {"unknown"}},
                 {"0004", {"how"}, {"?"}, {"python"}}});
    write_posts(folder_.at("test.h5"), {{"0004", {"the a"}, {"a b"}, {"c++"}},
                                        {"0002", {"a"}, {""}, {"java"}},
                                        {"0009", {"a"}, {""}, {"java"}}});
  }
  TrainTest load(const std::string& toml) {
    Settings settings = Settings::from_text(
        "train = 'train.h5'\nword_counts = 'words'\ntag_counts = 'tags'\nfeatures = 3\n"
        "classes = 3\n" +
            toml,
        "e.toml");
    return row(sources(), "stackoverflow").make(settings)->load(folder_.path(), 1);
  }
  std::string refused(const std::string& toml) {
    return refusal([&] { load(toml); });
  }
  testing::TempFolder folder_;
};

// Tags with equal counts keep the order of the file: java is 1, c++ is 2.
TEST_F(StackOverflow, CountsKnownWordsAmongAllWords) {
  const TrainTest data = load("first_users = 2\nlayout = 'sparse'");
  EXPECT_EQ(data.train.label, (Labels{1, 2, 0}));  // java; c++; python, of java|python
  EXPECT_EQ(data.train.user, (Users{0, 0, 1}));
  EXPECT_EQ(data.train.classes, 3);
  const auto& rows = std::get<SparseRows>(data.train.rows);
  EXPECT_EQ(rows.columns, 3U);
  EXPECT_EQ(rows.start, (std::vector<std::size_t>{0, 0, 2, 5}));
  EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 2, 0, 1, 2}));
  const std::vector<double> expected{0.5, 0.5, 0.4, 0.2, 0.2};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(rows.value[i], expected[i], testing::rounding);
  ASSERT_EQ(data.notes.size(), 1U);
  expect_parts(data.notes[0], {"train.h5", "1 post without any of the 3 tags"});
}

TEST_F(StackOverflow, RowsAreDenseUnlessSetOtherwise) {
  const TrainTest data = load("first_users = 1");
  EXPECT_EQ(std::get<DenseRows>(data.train.rows).value, (Vector{0, 0, 0, real{0.5}, 0, real{0.5}}));
  EXPECT_EQ(data.test.size(), 0U);
}

// User 0003 has no known tag, so 0004 is the third; tests are those of the users who train.
TEST_F(StackOverflow, UsersAreTheFirstWithKnownTags) {
  const TrainTest data = load("first_users = 3\ntest = 'test.h5'");
  EXPECT_EQ(data.train.user, (Users{0, 0, 1, 2}));
  EXPECT_EQ(data.test.user, (Users{1, 2}));
  EXPECT_EQ(data.test.label, (Labels{1, 2}));
  EXPECT_EQ(std::get<DenseRows>(data.test.rows).value, (Vector{0, 1, 0, real{0.25}, real{0.5}, 0}));
  expect_parts(refused("first_users = 4"), {"train.h5", "3 users", "data.first_users = 4"});
}

TEST_F(StackOverflow, UsesTheFirstPostsOfEachUser) {
  EXPECT_EQ(load("first_users = 2\nper_user = 1").train.label, (Labels{1, 0}));
  EXPECT_EQ(load("first_users = 2\nper_user = 2").train.label,
            (Labels{1, 0}));  // old|new is unknown
  EXPECT_EQ(load("first_users = 2\nper_user = 3").train.label, (Labels{1, 2, 0}));
}

TEST_F(StackOverflow, PartsHaveTheRowsOfTheChosenRecords) {
  Settings settings = Settings::from_text(
      "train = 'train.h5'\ntest = 'test.h5'\nword_counts = 'words'\ntag_counts = 'tags'\n"
      "features = 3\nclasses = 3\nfirst_users = 3",
      "e.toml");
  const auto source = row(sources(), "stackoverflow").make(settings);
  const TrainTest part = source->load_part(folder_.path(), 1, [](const TrainTest& all) {
    EXPECT_EQ(all.train.features(), 3U);
    EXPECT_TRUE(std::holds_alternative<DenseRows>(all.train.rows));
    return KeptRecords{{false, true, false, true}, {false, false}};
  });
  EXPECT_EQ(part.train.label, (Labels{1, 2, 0, 0}));
  EXPECT_EQ(std::get<DenseRows>(part.train.rows).value,
            (Vector{real{0.5}, 0, real{0.5}, 0, 0, real{0.5}}));
  EXPECT_EQ(part.test.kept(), 0U);
}

TEST_F(StackOverflow, RefusesListsThatAreNone) {
  folder_.write("words", std::string("the 90\na\n"));
  expect_parts(refused("first_users = 1"), {"words:2", "\"a\"", "a word and its count"});
  folder_.write("words", std::string("the 90\nthe 80\nhow 1\n"));
  expect_parts(refused("first_users = 1"), {"words:2", "twice"});
  folder_.write("words", std::string("the 90\na 1\n"));
  expect_parts(refused("first_users = 1"), {"words", "2 words", "data.features = 3"});
  folder_.write("words", std::string("the 90\na 80\nhow 7\n"));
  for (const char* bad : {"[1, 2]", "{\"a\": [1]}", "{\"a\": -1}", "{\"a\": 1", "1", "{} x"}) {
    folder_.write("tags", std::string(bad));
    expect_parts(refused("first_users = 1"), {"tags", "no JSON object of tags"});
  }
  folder_.write("tags", std::string("{\"a\": 1, \"b\": 2}"));
  expect_parts(refused("first_users = 1"), {"tags", "2 tags", "data.classes = 3"});
  folder_.write("tags", std::string("{\"a\": 1, \"b\": 2, \"a\": 3}"));
  expect_parts(refused("first_users = 1"), {"tags", "\"a\" comes twice"});
}

TEST_F(StackOverflow, RefusesOtherFiles) {
  const auto users = "first_users = 1";
  h5::File::create(folder_.at("train.h5")).create_group("other");
  expect_parts(refused(users), {"train.h5", "no group \"examples\""});
  h5::File::create(folder_.at("train.h5")).create_group("examples").create_group("u");
  expect_parts(refused(users), {"train.h5", "examples/u has no tokens"});
  write_posts(folder_.at("train.h5"), {{"u", {"a", "b"}, {"t"}, {"java"}}});
  expect_parts(refused(users), {"examples/u", "2 tokens, 1 titles and 1 tags"});
  h5::File::create(folder_.at("train.h5")).write_texts("examples", {"a"}, "");
  expect_parts(refused(users), {"no group \"examples\""});
  folder_.write("train.h5", std::string("no HDF5"));
  expect_parts(refused(users), {"train.h5", "not an HDF5 file"});
  write_posts(folder_.at("train.h5"), {{"0001", {"a"}, {"t"}, {"java"}}});
  write_posts(folder_.at("test.h5"), {{"0002", {"a"}, {"t"}, {"java"}}});
  expect_parts(refused("first_users = 1\ntest = 'test.h5'"), {"test.h5", "none of the users"});
}

}  // namespace trilemma::stackoverflow_test
