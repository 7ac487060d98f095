// Words and missing values in CSV files (src/data/csv_encoding.cpp, fill_missing of
// src/data/scaling.cpp), by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "data/data_folder.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::csv_missing_test {

using testing::expect_parts;

class CsvMissing : public ::testing::Test {
 protected:
  std::unique_ptr<Source> make(const std::string& more,
                               const std::vector<std::string>& overrides = {}) {
    Settings data =
        Settings::from_text(
            "[data]\ntrain = 'a.csv'\ntarget = 'y'\nbias = false\nscaling = 'none'\n" + more,
            "e.toml", overrides)
            .section("data");
    auto source = row(sources(), "csv").make(data);
    DataFolder(folder_.path()).settle(*source, data);
    return source;
  }
  TrainTest load(const std::string& more) {
    const auto source = make(more);
    TrainTest data = source->load(folder_.path(), 1);
    EXPECT_EQ(data.train.features(), source->features());
    return data;
  }
  std::string refused(const std::string& more) {
    return testing::refusal([&] { load(more); });
  }
  testing::TempFolder folder_;
};

Vector values(const Dataset& data) { return std::get<DenseRows>(data.rows).value; }

constexpr const char* towns =
    "town,a,size,y\n"
    "Rome,1,10,1\n"
    "Bern,2,9,2\n"
    "Rome,3,10,3\n";

// Numbers first, then the words in the order of data.one_hot: Bern, Rome; 9 before 10.
TEST_F(CsvMissing, WordsBecomeAFeatureEach) {
  folder_.write("a.csv", std::string(towns));
  folder_.write("t.csv", std::string("a,y,size,town\n7,8,9,Rome\n"));
  const std::string keys = "one_hot = ['town', 'size']\n";
  EXPECT_EQ(make(keys)->features(), 5U);
  const TrainTest data = load(keys + "test = 't.csv'");
  EXPECT_EQ(values(data.train), (Vector{1, 0, 1, 0, 1, 2, 1, 0, 1, 0, 3, 0, 1, 0, 1}));
  EXPECT_EQ(values(data.test), (Vector{7, 0, 1, 1, 0}));
  EXPECT_EQ(values(load("columns = ['town']\none_hot = 'town'").train), (Vector{0, 1, 1, 0, 0, 1}));
  EXPECT_NE(make(keys)->description().find("from 5 features, one-hot town, size, scaling"),
            std::string::npos);
}

// The means and deviations of 0 and 1 are left alone, and a word that no training record is left
// with does no harm.
TEST_F(CsvMissing, StandardisingLeavesWordsAlone) {
  folder_.write("a.csv", std::string(towns));
  EXPECT_FALSE(make("drop = 'size'\none_hot = 'town'")->scales_by_training());
  const auto source = make("drop = 'size'\none_hot = 'town'", {"data.scaling=standard"});
  EXPECT_TRUE(source->scales_by_training());
  TrainTest data = source->load(folder_.path(), 1);
  source->scale(data, std::vector<std::uint32_t>{0, 2});  // a: mean 2, deviation 1
  EXPECT_EQ(values(data.train), (Vector{-1, 0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST_F(CsvMissing, RefusesWordsThatTrainingDoesNotKnow) {
  folder_.write("a.csv", std::string(towns));
  folder_.write("t.csv", std::string("a,y,size,town\n7,8,9,Rome\n7,8,9,Oslo\n"));
  expect_parts(refused("one_hot = 'town'\ntest = 't.csv'"),
               {"t.csv:3", "column \"town\"", "\"Oslo\" is in no training record"});
  expect_parts(refused(""), {"a.csv:2", "\"Rome\" is not a decimal number", "data.one_hot"});
  expect_parts(refused("one_hot = 'city'"), {"no column \"city\"", "data.one_hot"});
  expect_parts(refused("one_hot = 'y'"), {"e.toml:6", "\"y\" is not a feature"});
  expect_parts(refused("one_hot = 'town'\ndrop = 'town'"),
               {"e.toml:6", "\"town\" is not a feature"});
  expect_parts(refused("one_hot = 'town'\ncolumns = 'a'"),
               {"e.toml:6", "\"town\" is not a feature"});
  expect_parts(refused("one_hot = ['town', 'size', 'town']"),
               {"e.toml:6", "data.one_hot", "\"town\" stands there twice"});
  expect_parts(refused("columns = ['a', 'a']"),
               {"e.toml:6", "data.columns", "\"a\" stands there twice"});
  expect_parts(refused("one_hot = 'town'\nfeatures = 3"), {"4 features", "data.features = 3"});
}

constexpr const char* gaps =
    "town,a,b,y\n"
    "Rome,1,,1\n"
    "?,NA,6,2\n"
    "Bern,4,8,3\n"
    "Rome,5,1,\n";

TEST_F(CsvMissing, DropLeavesIncompleteRecordsOut) {
  folder_.write("a.csv", std::string(gaps));
  folder_.write("t.csv", std::string("town,a,b,y\nBern,NaN,1,1\nBern,2,3,4\n"));
  TrainTest data = load("drop = 'town'\nmissing = 'drop'\ntest = 't.csv'");
  EXPECT_EQ(values(data.train), (Vector{4, 8}));
  EXPECT_EQ(data.train.target, (Vector{3}));
  EXPECT_EQ(values(data.test), (Vector{2, 3}));
  EXPECT_EQ(data.scaling,
            "3 incomplete records left out; 1 incomplete record of the test file left out");
  // Nor does one look for those of the training file.
  folder_.write("a.csv", std::string("town,a,b,y\nBern,1,2,3\n"));
  EXPECT_EQ(load("drop = 'town'\nmissing = 'drop'\ntest = 't.csv'").scaling,
            "1 incomplete record of the test file left out");
  folder_.write("a.csv", std::string(gaps));
  // What is not used may be missing.
  data = load("columns = 'a'\nmissing = 'drop'");
  EXPECT_EQ(values(data.train), (Vector{1, 4}));
  EXPECT_EQ(data.scaling, "2 incomplete records left out");
  // Words of records that are left out are no features: Rome alone.
  EXPECT_EQ(make("columns = ['a', 'town']\none_hot = 'town'\nmissing = 'drop'")->features(), 3U);
  folder_.write("a.csv", std::string("a,y\n,1\n2,\n"));
  expect_parts(refused("missing = 'drop'"), {"a.csv", "every record has a missing value"});
}

// Over records 0 and 2: a has 1, 4; b only 8; the towns are Rome and Bern.
TEST_F(CsvMissing, MeanFillsInFromTheRecordsThatAreTrainedOn) {
  std::string text = gaps;
  text.back() = '9';  // target of the last record
  folder_.write("a.csv", text + '\n');
  folder_.write("t.csv", std::string("town,a,b,y\nBern,,1,1\n"));
  const std::string keys = "one_hot = 'town'\nmissing = 'mean'\ntest = 't.csv'\n";
  const auto source = make(keys);
  TrainTest data = source->load(folder_.path(), 1);
  EXPECT_TRUE(std::isnan(values(data.train)[1]));
  EXPECT_TRUE(source->scales_by_training());
  source->scale(data, std::vector<std::uint32_t>{0, 2});
  EXPECT_EQ(values(data.train), (Vector{1, 8, 0, 1, 2.5, 6, 0.5, 0.5, 4, 8, 1, 0, 5, 1, 0, 1}));
  EXPECT_EQ(values(data.test), (Vector{2.5, 1, 1, 0}));
  expect_parts(data.scaling, {"means over all clients' training records"});
  const auto none = make(keys);
  data = none->load(folder_.path(), 1);
  expect_parts(testing::refusal([&] { none->scale(data, std::vector<std::uint32_t>{0}); }),
               {"data.missing = \"mean\"", "no training record has feature \"b\""});
}

TEST_F(CsvMissing, StandardisesWhatWasFilledIn) {
  folder_.write("a.csv", std::string("a,y\n1,1\n,2\n3,3\n"));
  const auto source = make("missing = 'mean'", {"data.scaling=standard"});
  TrainTest data = source->load(folder_.path(), 1);
  source->scale(data, std::vector<std::uint32_t>{0, 1, 2});
  const double unit = std::sqrt(2.0 / 3.0);  // 1, 2, 3
  EXPECT_NEAR(values(data.train)[0], -1 / unit, 4 * testing::rounding);
  EXPECT_EQ(values(data.train)[1], 0);
  expect_parts(data.scaling, {"in place of missing values; each minus its mean"});
}

TEST_F(CsvMissing, MeansAreForFeaturesOnly) {
  folder_.write("a.csv", std::string(gaps));
  expect_parts(refused("one_hot = 'town'\nmissing = 'mean'"),
               {"a.csv:5", "column \"y\"", "missing", "data.missing = \"drop\""});
  expect_parts(refused("one_hot = 'town'"), {"a.csv:2", "column \"b\"", "data.missing"});
  expect_parts(refused("columns = 'town'\none_hot = 'town'"),
               {"a.csv:3", "column \"town\"", "data.missing"});
  folder_.write("a.csv", std::string("a,y\n1,2\n2,NA\n"));
  expect_parts(refused("missing = 'mean'"),
               {"a.csv:3", "column \"y\"", "missing", "data.missing = \"drop\""});
  expect_parts(refused("missing = 'mean'\nclasses = 2"),
               {"a.csv:3", "column \"y\"", "missing", "data.missing = \"drop\""});
  folder_.write("a.csv", std::string("who,a,y\nann,1,1\nNA,1,2\nbob,1,3\n?,1,4\n"));
  expect_parts(refused("user = 'who'"),
               {"a.csv:3", "column \"who\"", "missing", "data.missing = \"drop\""});
  EXPECT_EQ(load("user = 'who'\nmissing = 'drop'").train.user, (std::vector<std::uint32_t>{0, 1}));
  expect_parts(refused("missing = 'median'"), {"e.toml:6", "refuse, drop, mean"});
}

}  // namespace trilemma::csv_missing_test
