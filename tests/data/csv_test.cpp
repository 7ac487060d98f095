// CSV files (src/data/csv.hpp, src/data/csv_source.cpp): values by hand, and every refusal with
// file, line and column.

#include "data/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/data_folder.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::csv_test {

using testing::expect_parts;

constexpr const char* keys = R"(
train = "a.csv"
target = "y"
user = "who"
drop = ["note"]
features = 2
)";
constexpr const char* four_rows =
    "who,a,y,note,b\n"
    "ann,1,10,,0.5\r\n"
    "\"bob, jr\",3,20,x,-1e1\n"
    "\n"
    "ann, 2 ,30,\"say \"\"hi\"\"\",4\n"
    "cem,0,40,z,4\n";

class Csv : public ::testing::Test {
 protected:
  // What the settings leave to the files is found in these, as in a run.
  std::unique_ptr<Source> make(const std::string& toml) const {
    Settings data = Settings::from_text("[data]\n" + toml, "e.toml").section("data");
    auto source = row(sources(), "csv").make(data);
    DataFolder(folder_.path()).settle(*source, data);
    return source;
  }
  TrainTest load(const std::string& text, const std::string& more = "") {
    folder_.write("a.csv", text);
    return make(keys + more)->load(folder_.path(), 1);
  }
  std::string refused(const std::string& text, const std::string& more = "") {
    return testing::refusal([&] { load(text, more); });
  }
  testing::TempFolder folder_;
};

Vector values(const Dataset& data) { return std::get<DenseRows>(data.rows).value; }

TEST_F(Csv, ReadsTargetsUsersAndFeaturesByName) {
  const Dataset data = load(four_rows).train;
  EXPECT_EQ(data.classes, 0);
  EXPECT_EQ(data.features(), 3U);
  EXPECT_EQ(values(data), (Vector{1, 0.5, 1, 3, -10, 1, 2, 4, 1, 0, 4, 1}));
  EXPECT_EQ(data.target, (Vector{10, 20, 30, 40}));
  EXPECT_EQ(data.user, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{0, 0, 0, 0}));
}

TEST_F(Csv, TakesNamedColumnsInTheirOrder) {
  const std::string named = "train = 'a.csv'\ntarget = 'y'\nuser = ''\nbias = false\n";
  folder_.write("a.csv", four_rows);
  const auto source = make(named + "columns = ['b', 'a']");
  EXPECT_EQ(source->features(), 2U);
  EXPECT_FALSE(source->has_users());
  const Dataset data = source->load(folder_.path(), 1).train;
  EXPECT_EQ(values(data), (Vector{0.5, 1, -10, 3, 4, 2, 4, 0}));
  EXPECT_TRUE(data.user.empty());
}

TEST_F(Csv, OrdersRecordsByAColumn) {
  const Dataset data = load(four_rows, "order = 'b'").train;  // ties as they are read
  EXPECT_EQ(data.target, (Vector{20, 10, 30, 40}));
  EXPECT_EQ(data.user, (std::vector<std::uint32_t>{1, 0, 0, 2}));
}

TEST_F(Csv, ReadsOtherDelimitersAByteOrderMarkAndALastLineWithoutItsEnd) {
  const Dataset data = load("\xEF\xBB\xBFwho;a;y;note;b\nann;1;2;;3", "delimiter = ';'").train;
  EXPECT_EQ(values(data), (Vector{1, 3, 1}));
}

// Labels are in ascending order: 2 before 10 where all are numbers.
TEST_F(Csv, NumbersClasses) {
  const std::string text = "who,y,a,b,note\nu,10,1,1,\nu,2,1,1,\nu,7,1,1,\nu,2,1,1,\n";
  const Dataset three = load(text, "classes = 3").train;
  EXPECT_EQ(three.label, (std::vector<std::int32_t>{2, 0, 1, 0}));
  EXPECT_TRUE(three.target.empty());
  const Dataset two = load("who,y,a,b,note\nu,no,1,1,\nu,yes,1,1,\n", "classes = 2").train;
  EXPECT_EQ(two.label, (std::vector<std::int32_t>{0, 1}));
  expect_parts(refused("who,y,a,b,note\nu,yes,1,1,\nu,yes,2,1,\n", "classes = 2"),
               {"a.csv", "\"yes\" is the only label in column \"y\"", "data.target"});
  expect_parts(refused(text, "classes = 2"),
               {"a.csv: 3 different labels in column \"y\" (10, 2, 7)",
                "the rarest is \"10\", first in ", "a.csv:2", "or set data.classes = 3"});
  expect_parts(refused(text, "classes = 4"),
               {"a.csv", "3 different labels", "set data.classes = 3, or 0"});
}

// Words that C reads as numbers that cannot be sorted.
TEST_F(Csv, SortsLabelsAsTextsWhereOneIsNoFiniteNumber) {
  const std::string text = "who,y,a,b,note\nu,infinity,1,1,\nu,10,1,1,\nu,9,1,1,\nu,inf,1,1,\n";
  EXPECT_EQ(load(text, "classes = 4").train.label, (std::vector<std::int32_t>{3, 0, 1, 2}));
}

// Means and deviations of the training records 0, 1, 2 only: a: 1, 3, 2; b: 0.5, -10, 4; y: 10,
// 20, 30.
TEST_F(Csv, StandardisesByTheRecordsThatAreTrainedOn) {
  folder_.write("a.csv", four_rows);
  const auto source = make(keys);
  TrainTest data = source->load(folder_.path(), 1);
  EXPECT_EQ(data.scaling, "");
  const std::vector<std::uint32_t> training{0, 1, 2};
  source->scale(data, training);
  const double unit = std::sqrt(2.0 / 3.0);
  const Vector found = values(data.train);
  const double first[] = {-1 / unit, 1 / unit, 0, -2 / unit};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_NEAR(found[3 * r], first[r], testing::rounding * 10);
    EXPECT_EQ(found[3 * r + 2], 1);  // the bias
  }
  EXPECT_NEAR(found[1] + found[4] + found[7], 0, testing::rounding * 10);
  EXPECT_NEAR(data.train.target[3], 2 / unit, testing::rounding * 10);
  EXPECT_NEAR(data.train.target_scale, 10 * unit, 1e-12);
  EXPECT_EQ(data.train.select({training.data(), 2}).target_scale, data.train.target_scale);
  expect_parts(data.scaling, {"mean", "deviation", "target minus 20", "8.16497"});
}

TEST_F(Csv, RefusesToStandardiseAConstant) {
  const auto refused = [&](const std::string& text) {
    folder_.write("a.csv", text);
    const auto source = make(keys);
    TrainTest data = source->load(folder_.path(), 1);
    return testing::refusal([&] { source->scale(data, std::vector<std::uint32_t>{0, 1}); });
  };
  expect_parts(refused("who,a,y,note,b\nu,1,1,,3\nu,1,2,,4\n"), {"feature \"a\"", "same in all"});
  expect_parts(refused("who,a,y,note,b\nu,1,7,,3\nu,2,7,,4\nu,2,8,,4\n"),
               {"all targets are equal"});
}

TEST_F(Csv, RefusesMissingAndOddCells) {
  expect_parts(refused("who,a,y,note,b\nu,1,1,,3\nu,,2,,4\n"),
               {"a.csv:3", "column \"a\"", "missing", "data.missing", "data.drop"});
  expect_parts(refused("who,a,y,note,b\n,1,1,,3\n"), {"a.csv:2", "\"who\"", "missing"});
  for (const char* missing : {"NA", "?", "NaN", "nan"})
    expect_parts(refused(std::string("who,a,y,note,b\nu,1,1,,") + missing + "\n"),
                 {"a.csv:2", "column \"b\"", "missing", "data.missing"});
  for (const char* odd : {"1.5x", "red", "inf", "1e999", "1 2", "0x1p3"})
    expect_parts(refused(std::string("who,a,y,note,b\nu,1,1,,") + odd + "\n"),
                 {"a.csv:2", "column \"b\"", "not a decimal number", "data.one_hot", "data.drop"});
  expect_parts(refused("who,a,y,note,b\nu,1,high,,2\n"), {"a.csv:2", "\"y\"", "\"high\""});
}

// Text where real targets are expected: leaving the column out would leave nothing to learn.
TEST_F(Csv, AsksForClassesWhereTheTargetIsText) {
  const std::string text = "who,a,y,note,b\nu,1,3,,3\nu,1,yes,,3\nu,1,,,3\nu,1,\"no\",,3\n";
  std::string sentence = refused(text);
  expect_parts(sentence, {"a.csv:3", "column \"y\"", "\"yes\"", "data.classes = 3 (3, no, yes)"});
  EXPECT_EQ(sentence.find("data.drop"), std::string::npos);
  sentence = refused("who,a,y,note,b\nu,1,,,3\n");
  expect_parts(sentence, {"a.csv:2", "column \"y\"", "missing", "fill it in"});
  EXPECT_EQ(sentence.find("data.drop"), std::string::npos);
}

TEST_F(Csv, RefusesRowsOfAnotherLengthAndStrayQuotes) {
  expect_parts(refused("who,a,y,note,b\nu,1,1,,3\nu,1,1,3\n"), {"a.csv:3", "4 cells", "5 columns"});
  expect_parts(refused("who,a,y,note,b\nu,1,1,,3,9\n"), {"a.csv:2", "6 cells", "data.delimiter"});
  expect_parts(refused("who,a,y,note,b\nu,1,1,a\"b,3\n"), {"a.csv:2", "quote"});
  expect_parts(refused("who,a,y,note,b\nu,1,1,\"open,3\n"), {"a.csv:2", "quote"});
}

TEST_F(Csv, RefusesColumnsThatDoNotFit) {
  expect_parts(refused("who,a,Y,note,b\nu,1,1,,3\n"), {"a.csv", "no column \"y\"", "data.target"});
  for (const char* header : {"who;a;y;note;b", "who\ta\ty\tnote\tb"})
    expect_parts(refused(std::string(header) + "\n1\n"),
                 {"a.csv: one column", "; set data.delimiter"});
  expect_parts(refused("1,2,3,4,5\n6,7,8,9,10\n"), {"first line has numbers alone", "names"});
  expect_parts(refused("who,a,y,nota,b\nu,1,1,,3\n"), {"\"note\"", "did you mean \"nota\""});
  expect_parts(refused("who,a,y,note\nu,1,1,\n"), {": 1 feature, ", "data.features = 2"});
  expect_parts(refused("who,a,y,a,note\nu,1,1,1,\n"), {"a.csv:1", "two columns named \"a\""});
  expect_parts(refused("who,a,,y,note\nu,1,1,1,\n"),
               {"a.csv:2", "column 3 has cells, but no name"});
  const auto refusal_of = [](const std::string& toml) {
    Settings settings = Settings::from_text("train = 'a.csv'\n" + toml, "e.toml");
    return testing::refusal([&] { row(sources(), "csv").make(settings); });
  };
  expect_parts(refusal_of("target = 'y'\ncolumns = ['a', 'y']"), {"e.toml:3", "\"y\"", "target"});
  expect_parts(refusal_of("target = 'y'\ncolumns = ['a']\ndrop = ['b']"),
               {"e.toml:4", "data.drop"});
  expect_parts(refusal_of("columns = ['a']"), {"target", "name the column"});
  expect_parts(refused(four_rows, "columns = ['a', 'b', 'note']"), {"features = 2", "names 3"});
  expect_parts(refused(four_rows, "classes = 1"), {"classes = 1", "at least 2"});
  expect_parts(refused(four_rows, "delimiter = ', '"), {"delimiter", "one character"});
}

// A point between thousands must not become a decimal point, nor its column classes.
TEST_F(Csv, RefusesThousandsSeparators) {
  const std::string comma = "delimiter = ';'\ndecimal = ','\n";
  const std::string header = "who;a;y;note;b\n";
  EXPECT_EQ(values(load(header + "u;1,5;-2,25e1;;3\n", comma).train), (Vector{1.5, 3, 1}));
  EXPECT_EQ(load(header + "u;1,5;-2,25e1;;3\n", comma).train.target, (Vector{-22.5}));
  for (const char* number : {"1.500", "1.5", "-1.234.567", "1.234,5", "1.5e3"}) {
    const std::string found = std::string("\"") + number + "\"";
    expect_parts(refused(header + "u;1;2;;3\nu;" + number + ";2;;3\n", comma),
                 {"a.csv:3", "column \"a\"", found, "remove thousands separators"});
    expect_parts(refused(header + "u;1;" + number + ";;3\n", comma),
                 {"a.csv:2", "column \"y\"", found, "remove thousands separators"});
  }
  expect_parts(refused("who,a,y,note,b\nu,1,1,,\"1,234.5\"\n"),
               {"a.csv:2", "column \"b\"", "\"1,234.5\"", "remove thousands separators"});
  expect_parts(refused("who,a,y,note,b\nu,1,1,,\"1,5\"\n"),
               {"a.csv:2", "column \"b\"", "\"1,5\"", "data.decimal = \",\""});
}

TEST_F(Csv, RefusesFilesWithoutRecords) {
  expect_parts(refused(""), {"a.csv", "empty"});
  expect_parts(refused("\n\n"), {"a.csv", "no record"});
  expect_parts(refused("who,a,y,note,b\n"), {"a.csv", "no record"});
  expect_parts(testing::refusal([&] { read_csv(folder_.at("none"), ','); }), {"no such data file"});
}

TEST_F(Csv, RefusesTestRecordsThatTrainingDoesNotKnow) {
  folder_.write("t.csv", "who,a,y,note,b\nann,1,1,,3\neve,1,1,,3\n");
  expect_parts(refused(four_rows, "test = 't.csv'"), {"t.csv:3", "\"eve\"", "no training record"});
  folder_.write("t.csv", "who,a,y,note,b\ncem,7,8,,9\n");
  const Dataset test = load(four_rows, "test = 't.csv'").test;
  EXPECT_EQ(test.user, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(values(test), (Vector{7, 9, 1}));
}

TEST_F(Csv, TakesColumnsOfTheTestFileByName) {
  folder_.write("t.csv", "b,y,who,note,a\n9,8,cem,,7\n");
  EXPECT_EQ(values(load(four_rows, "test = 't.csv'").test), (Vector{7, 9, 1}));
  folder_.write("t.csv", "c,y,who,note,a\n9,8,cem,,7\n");
  expect_parts(refused(four_rows, "test = 't.csv'"), {"t.csv", "no column \"b\"", "a.csv"});
}

}  // namespace trilemma::csv_test
