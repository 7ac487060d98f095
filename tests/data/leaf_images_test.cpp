// Files of LEAF whose records name images, as those of CelebA (src/data/leaf_source.cpp).

#include <gtest/gtest.h>

#include <filesystem>

#include "data/source.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::leaf_images_test {

using testing::expect_parts;
using testing::refusal;
using Labels = std::vector<std::int32_t>;
using Users = std::vector<std::uint32_t>;

// As LEAF's preprocessing writes it: labels are (attribute + 1) / 2, which Python writes as 1.0.
constexpr const char* two_celebrities = R"({
  "users": ["2880", "17"], "num_samples": [2, 1],
  "user_data": {"2880": {"x": ["000001.jpg", "000404.jpg"], "y": [1.0, 0.0]},
                "17": {"x": ["000002.jpg"], "y": [1.0]}}})";
constexpr const char* tests =
    R"({"users": ["17"], "num_samples": [1], "user_data": {"17": {"x": ["000003.jpg"], "y": [0.0]}}})";

class LeafImages : public ::testing::Test {
 protected:
  LeafImages() {
    std::filesystem::create_directory(folder_.at("faces"));
    for (const auto& [name, value] : faces)
      folder_.write(std::string("faces/") + name, grey(value));
    folder_.write("train.json", std::string(two_celebrities));
    folder_.write("test.json", std::string(tests));
  }
  // 178 x 218 pixels, as those of CelebA.
  static std::string grey(std::uint8_t value) {
    return testing::jpeg(std::vector<std::uint8_t>(std::size_t{178} * 218, value), 178, 1);
  }
  std::unique_ptr<Source> source(const std::string& toml) {
    Settings settings =
        Settings::from_text("train = 'train.json'\ntest = 'test.json'\n" + toml, "e.toml");
    auto made = row(sources(), "leaf").make(settings);
    if (!made->open().empty()) made->settle(made->find(folder_.path()));
    return made;
  }
  TrainTest load(const std::string& toml) { return source(toml)->load(folder_.path(), 1); }

  static constexpr std::pair<const char*, std::uint8_t> faces[] = {
      {"000001.jpg", 10}, {"000002.jpg", 20}, {"000003.jpg", 30}, {"000404.jpg", 40}};
  testing::TempFolder folder_;
};

std::vector<int> first_bytes(const Dataset& data) {
  const auto& rows = std::get<DenseRows>(data.rows);
  std::vector<int> found;
  for (std::size_t r = 0; r < rows.rows(); ++r) found.push_back(rows.byte[r * rows.columns]);
  return found;
}

TEST_F(LeafImages, AreReadByUserAndResized) {
  const TrainTest data = load("images = 'faces'");
  EXPECT_EQ(data.train.label, (Labels{1, 0, 1}));
  EXPECT_EQ(data.train.user, (Users{0, 0, 1}));
  EXPECT_EQ(data.train.classes, 2);
  EXPECT_EQ(data.train.features(), std::size_t{3} * 84 * 84);
  EXPECT_EQ(first_bytes(data.train), (std::vector<int>{10, 40, 20}));
  EXPECT_EQ(std::get<DenseRows>(data.train.rows).byte.size(), std::size_t{3} * 3 * 84 * 84);
  EXPECT_EQ(data.test.label, (Labels{0}));
  EXPECT_EQ(data.test.user, (Users{1}));
  EXPECT_EQ(first_bytes(data.test), (std::vector<int>{30}));
  EXPECT_EQ(load("images = 'faces'\nside = 7").train.features(), 147U);
}

TEST_F(LeafImages, AreNotReadToCountUsers) {
  EXPECT_EQ(source("images = 'not-there'")->users(folder_.path()), (Users{0, 0, 1}));
}

TEST_F(LeafImages, MayBeInAnArchive) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [name, value] : faces) files.emplace_back(name, grey(value));
  testing::write_zip(folder_.at("faces.zip"), files);
  EXPECT_EQ(first_bytes(load("images = 'faces.zip'").train), (std::vector<int>{10, 40, 20}));
  for (auto& file : files) file.first.insert(0, "img_align_celeba/");
  testing::write_zip(folder_.at("celeba.zip"), files);
  EXPECT_EQ(first_bytes(load("images = 'celeba.zip'").train), (std::vector<int>{10, 40, 20}));
}

TEST_F(LeafImages, PartsAreScaledAsTheWhole) {
  const auto all = source("images = 'faces'\nside = 4");
  TrainTest whole = all->load(folder_.path(), 1);
  TrainTest part = all->load_part(folder_.path(), 1, [](const TrainTest&) {
    return KeptRecords{{false, false, true}, {false}};
  });
  EXPECT_EQ(part.train.user, whole.train.user);
  EXPECT_EQ(first_bytes(part.train), (std::vector<int>{20}));
  EXPECT_EQ(part.test.kept(), 0U);
  all->scale(whole, {});
  all->scale(part, {});
  EXPECT_EQ(part.scaling, whole.scaling);
  EXPECT_EQ(all->preprocessing().scaling, Scaling::standard);
  EXPECT_EQ(source("features = 2\nclasses = 2")->preprocessing().scaling, Scaling::none);
}

TEST_F(LeafImages, RefusesNamesThatAreNone) {
  const auto refused = [&](const std::string& x) {
    folder_.write("train.json",
                  R"({"users": ["u"], "num_samples": [1], "user_data": {"u": {"x": [)" + x +
                      R"(], "y": [1]}}})");
    return refusal([&] { load("images = 'faces'\nclasses = 2"); });
  };
  expect_parts(refused("\"../a.jpg\""),
               {"train.json", "user \"u\", record 0", "no name of an image"});
  expect_parts(refused("[0.5]"), {"record 0", "no name of an image", "data.images"});
  expect_parts(refused("\"000009.jpg\""), {"faces/000009.jpg"});
  folder_.write("faces/000001.jpg", grey(1).substr(0, 300));
  expect_parts(refused("\"000001.jpg\""), {"faces/000001.jpg", "cannot be decoded"});
}

TEST_F(LeafImages, RefusesWhatDoesNotFitTheSettings) {
  expect_parts(refusal([&] { load("classes = 2"); }), {"record 0", "text", "set data.images"});
  expect_parts(refusal([&] { load("images = 'faces'\nfeatures = 5"); }),
               {"e.toml", "features", "84 x 84", "21168 values"});
  expect_parts(refusal([&] { load("images = 'none'"); }), {"none", "no such data file"});
  folder_.write("train.json", std::string(R"({"users": ["u"], "num_samples": [2],
                  "user_data": {"u": {"x": ["000001.jpg", "000001.jpg"], "y": [1, 0]}}})"));
  expect_parts(refusal([&] { load("images = 'faces'"); }), {"record 1", "000001.jpg", "twice"});
}

}  // namespace trilemma::leaf_images_test
