// Numbers of features and classes that are left to the files (src/data/data_folder.hpp): found in
// training and test files, recorded, asked for once.

#include "data/data_folder.hpp"

#include <gtest/gtest.h>

#include "tests/support/archives.hpp"
#include "tests/support/idx_files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::data_folder_test {

using testing::expect_parts;

class FoundShape : public ::testing::Test {
 protected:
  // The source of [data] once it is settled, and what was recorded of a key.
  std::unique_ptr<Source> settled(const std::string& source, const std::string& toml) {
    Settings settings = Settings::from_text("[data]\n" + toml, "e.toml");
    Settings data = settings.section("data");
    auto made = row(sources(), source).make(data);
    found_.settle(*made, data);
    values_.clear();
    for (const auto& record : settings.records()) values_[record.path] = record.value;
    return made;
  }
  std::string refused(const std::string& source, const std::string& toml) {
    return testing::refusal([&] { settled(source, toml); });
  }
  void write_images(const std::string& name, std::uint8_t label) {
    const std::vector<std::uint8_t> pixels(12, 1);
    folder_.write(name + "i", testing::idx_bytes({0x803, 2, 2, 3}, pixels));
    folder_.write(name + "l", testing::idx_bytes({0x801, 2}, std::vector<std::uint8_t>{0, label}));
  }
  testing::TempFolder folder_;
  DataFolder found_{folder_.path()};
  std::map<std::string, std::string> values_;
};

constexpr const char* text = "train = 'a'\ntest = 'b'\nscaling = 'none'\n";

TEST_F(FoundShape, OfLibsvmIsTheLargestIndexOfBothFiles) {
  folder_.write("a", std::string("-1 2:1 12:1\n1 1:1\n"));
  folder_.write("b", std::string("1 3:1\n-1 13:1\n"));
  auto source = settled("libsvm", text);
  EXPECT_EQ(source->features(), 14U);
  EXPECT_EQ(values_["data.features"], "13");
  EXPECT_EQ(source->load(folder_.path(), 1).train.features(), 14U);
  source = settled("libsvm", "train = 'a'\ntest = ''\nbias = false");
  EXPECT_EQ(source->features(), 12U);
  // What is set is not asked for: more is allowed, less is refused with its line.
  EXPECT_EQ(settled("libsvm", std::string(text) + "features = 123")->features(), 124U);
  source = settled("libsvm", std::string(text) + "features = 12");
  expect_parts(testing::refusal([&] { source->load(folder_.path(), 1); }),
               {"b:2", "13 is above data.features = 12"});
  EXPECT_EQ(settled("libsvm", std::string(text) + "features = 'files'")->features(), 14U);
}

TEST_F(FoundShape, RefusesWhatTheFilesCannotTell) {
  expect_parts(refused("libsvm", text),
               {"e.toml: [data]: there is no", "from which data.features would follow",
                folder_.at("a"), "scripts/get-data", "--data-dir"});
  folder_.write("a", std::string("-1\n1\n"));
  folder_.write("b", std::string("-1\n1\n"));
  expect_parts(refused("libsvm", text), {folder_.at("a"), "no feature"});
  folder_.write("b", std::string("-1 1:1\n1 0:1\n"));
  expect_parts(refused("libsvm", text), {folder_.at("b") + ":2", "feature index 0"});
  expect_parts(refused("libsvm", std::string(text) + "features = 0"), {"e.toml:5", "\"files\""});
  expect_parts(refused("libsvm", std::string(text) + "features = 1.5"),
               {"e.toml:5", "whole number"});
  expect_parts(refused("libsvm", std::string(text) + "features = 'file'"),
               {"e.toml:5", "\"files\""});
}

// One digit too many in one line.
TEST_F(FoundShape, RefusesADimensionThatNobodyMeans) {
  folder_.write("a", std::string("-1 2:1 120000000:1\n1 1:1\n"));
  expect_parts(refused("libsvm", "train = 'a'\ntest = ''"),
               {"120000000 features", "set it if they are meant"});
  EXPECT_EQ(settled("libsvm", "train = 'a'\ntest = ''\nfeatures = 120000000")->features(),
            120000001U);
}

TEST_F(FoundShape, IsAskedForOnce) {
  folder_.write("a", std::string("-1 2:1 12:1\n1 1:1\n"));
  const std::string toml = "train = 'a'\ntest = ''\n";
  settled("libsvm", toml);
  folder_.write("a", std::string("-1 2:1 15:1\n1 1:1\n"));
  EXPECT_EQ(settled("libsvm", toml)->features(), 13U);
  EXPECT_EQ(settled("libsvm", toml + "rows = 1")->features(), 16U);  // another question
}

TEST_F(FoundShape, OfImagesIsInTheHeaderAndTheLabels) {
  write_images("a", 3);
  write_images("b", 5);
  const std::string train = "images = 'ai'\nlabels = 'al'\n";
  auto source = settled("idx", train + "test_images = 'bi'\ntest_labels = 'bl'");
  EXPECT_EQ(source->features(), 6U);
  EXPECT_EQ(source->classes(), 3);  // the labels 0, 3 and 5
  EXPECT_EQ(values_["data.features"], "6");
  EXPECT_EQ(values_["data.classes"], "3");
  EXPECT_EQ(settled("idx", train + "test_images = ''")->classes(), 2);
  source = settled("idx", train + "test_images = ''\nclasses = 3");
  EXPECT_EQ(source->features(), 6U);
  expect_parts(testing::refusal([&] { source->load(folder_.path(), 1); }),
               {"label 3", "data.classes = 3"});
  write_images("c", 0);
  expect_parts(refused("idx", "images = 'ci'\nlabels = 'cl'\ntest_images = ''"),
               {"data.classes", "one label"});
  folder_.write("di", testing::idx_bytes({0x803, 2, 0, 3}, {}));
  expect_parts(refused("idx", "images = 'di'\nlabels = 'al'\ntest_images = ''"),
               {"di", "images without pixels (2 x 0 x 3)"});
}

TEST_F(FoundShape, OfACsvIsTheNumberOfColumnsThatAreLeft) {
  folder_.write("a", std::string("who,a,b,y\nu,1,2,3\nu,2,2,4\n"));
  const std::string toml = "train = 'a'\ntarget = 'y'\nuser = 'who'\n";
  auto source = settled("csv", toml);
  EXPECT_EQ(source->features(), 3U);
  EXPECT_EQ(values_["data.features"], "2");
  EXPECT_EQ(settled("csv", toml + "drop = 'a'")->features(), 2U);
  expect_parts(refused("csv", toml + "drop = ['a', 'b']"), {"no column is left"});
  EXPECT_EQ(settled("csv", toml + "columns = 'b'")->features(), 2U);
  EXPECT_EQ(values_["data.features"], "1");
}

TEST_F(FoundShape, OfLeafIsInTheRecords) {
  const auto file = [](const char* x, const char* y) {
    return std::string(R"({"users": ["u"], "num_samples": [2], "user_data": {"u": {"x": )") + x +
           R"(, "y": )" + y + "}}}";
  };
  folder_.write("a.json", file("[[1, 2], [3, 4]]", "[0, 3]"));
  folder_.write("b.json", file("[[1, 2], [3, 4]]", "[6, 3.0]"));
  const std::string toml = "train = 'a.json'\n";
  auto source = settled("leaf", toml + "test = 'b.json'");
  EXPECT_EQ(source->features(), 2U);
  EXPECT_EQ(source->classes(), 3);  // the labels 0, 3 and 6
  const Dataset test = source->load(folder_.path(), 1).test;
  EXPECT_EQ(test.classes, 3);
  EXPECT_EQ(test.label, (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(settled("leaf", toml)->classes(), 2);
  folder_.write("c.json", file("[[1, 2], [3]]", "[0, 3]"));
  expect_parts(refused("leaf", "train = 'c.json'"), {"record 1", "1 values"});
  folder_.write("c.json", file("[[], []]", "[0, 3]"));
  expect_parts(refused("leaf", "train = 'c.json'"), {"record 0", "0 values"});
  folder_.write("c.json", file("[[1], [1]]", "[0, 1.5]"));
  expect_parts(refused("leaf", "train = 'c.json'"), {"record 1", "label"});
}

TEST_F(FoundShape, OfOmniglotIsTheLongestAlphabet) {
  const std::string image = testing::png(std::vector<std::uint8_t>(std::size_t{105} * 105, 0), 105);
  testing::write_zip(folder_.at("o.zip"), {{"A/character02/1_01.png", image},
                                           {"B/character07/1_01.png", image},
                                           {"C/character01/1_01.png", image}});
  const auto source = settled("omniglot", "images = 'o.zip'");
  EXPECT_EQ(source->classes(), 7);
  EXPECT_EQ(source->load(folder_.path(), 1).train.classes, 7);
}

TEST_F(FoundShape, IsNotOpenWhereNothingIsRead) {
  for (const char* source : {"synthetic", "quadratics", "cifar"})
    EXPECT_TRUE(settled(source, "")->open().empty()) << source;
  Settings data = Settings::from_text("", "e.toml");
  const auto source = row(sources(), "idx").make(data);
  expect_parts(testing::refusal([&] { refuse_open(*source, data); }),
               {"e.toml: data.features and data.classes: not set", "follows from the data"});
}

}  // namespace trilemma::data_folder_test
