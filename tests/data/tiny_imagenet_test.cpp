// Tiny ImageNet in a folder and in an archive (src/data/tiny_imagenet.hpp).

#include "data/tiny_imagenet.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data/data_folder.hpp"
#include "data/source.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::tiny_imagenet_test {

using testing::expect_parts;
using testing::refusal;
using Labels = std::vector<std::int32_t>;
using Files = std::vector<std::pair<std::string, std::string>>;

// A grey image of 64 x 64 pixels, which JPEG keeps as it is.
std::string grey(std::uint8_t value) {
  return testing::jpeg(std::vector<std::uint8_t>(std::size_t{64} * 64, value), 64, 1);
}

// Three classes, not in ascending order, with two training images each; the first pixels tell the
// images apart.
Files small_set() {
  Files files{{"wnids.txt", "n02\nn01\nn03\n"}};
  std::uint8_t value = 10;
  for (const char* name : {"n01", "n02", "n03"})
    for (const char* image : {"_1", "_0"})
      files.emplace_back(fmt::format("train/{0}/images/{0}{1}.JPEG", name, image),
                         grey(value += 10));
  files.emplace_back("train/n01/n01_boxes.txt", "n01_0.JPEG\t0\t0\t63\t63\n");
  files.emplace_back("val/val_annotations.txt",
                     "val_2.JPEG\tn01\t0\t0\t1\t1\nval_1.JPEG\tn02\t0\t0\t1\t1\n"
                     "val_0.JPEG\tn03\t0\t0\t1\t1\nval_3.JPEG\tn01\t0\t0\t1\t1\n");
  for (std::uint8_t i = 0; i < 4; ++i)
    files.emplace_back(fmt::format("val/images/val_{}.JPEG", i),
                       grey(static_cast<std::uint8_t>(100 + i)));
  files.emplace_back("test/images/test_0.JPEG", "not read");
  return files;
}

class TinyImages : public ::testing::Test {
 protected:
  void write(const Files& files) {
    for (const auto& [name, content] : files) {
      const std::string path = folder_.at("tiny/" + name);
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      folder_.write("tiny/" + name, content);
    }
  }
  std::unique_ptr<Source> source(const std::string& toml) {
    const bool is_named = toml.find("images") != std::string::npos;
    Settings settings = Settings::from_text((is_named ? "" : "images = 'tiny'\n") + toml, "e.toml");
    auto made = row(sources(), "tiny-imagenet").make(settings);
    if (!made->open().empty()) made->settle(made->find(folder_.path()));
    return made;
  }
  TrainTest load(const std::string& toml) { return source(toml)->load(folder_.path(), 1); }
  std::string refused(const std::string& toml) {
    return refusal([&] { load(toml); });
  }
  testing::TempFolder folder_;
};

std::vector<int> first_bytes(const Dataset& data) {
  const auto& rows = std::get<DenseRows>(data.rows);
  std::vector<int> found;
  for (std::size_t r = 0; r < rows.rows(); ++r) found.push_back(rows.byte[r * rows.columns]);
  return found;
}

void expect_small_set(const TrainTest& data) {
  EXPECT_EQ(data.train.classes, 3);
  EXPECT_EQ(data.train.label, (Labels{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(first_bytes(data.train), (std::vector<int>{50, 40, 30, 20, 70, 60}));
  EXPECT_EQ(data.train.features(), 12288U);
  EXPECT_EQ(data.test.label, (Labels{0, 1, 1, 2}));
  EXPECT_EQ(first_bytes(data.test), (std::vector<int>{101, 102, 103, 100}));
}

// What most programs make of the validation images: a folder for each class.
Files sorted_set(const std::string& below) {
  Files files;
  for (auto& [name, content] : small_set())
    if (!name.starts_with("val/")) files.emplace_back(name, content);
  const char* classes[] = {"n03", "n02", "n01", "n01"};
  for (std::uint8_t i = 0; i < 4; ++i)
    files.emplace_back(fmt::format("val/{}/{}val_{}.JPEG", classes[i], below, i),
                       grey(static_cast<std::uint8_t>(100 + i)));
  return files;
}

TEST_F(TinyImages, AreReadFromFoldersOfClasses) {
  for (const char* below : {"", "images/"}) {
    std::filesystem::remove_all(folder_.at("tiny"));
    write(sorted_set(below));
    expect_small_set(load(""));
  }
  std::filesystem::remove_all(folder_.at("tiny/val/n01"));
  expect_parts(refused(""), {"val/n01/", "no image *.JPEG there", "data.validation = false"});
  load("validation = false");
}

TEST_F(TinyImages, AreReadInTheOrderOfClassesAndNames) {
  write(small_set());
  expect_small_set(load(""));
}

TEST_F(TinyImages, AreTheSameInAnArchive) {
  Files files = small_set();
  for (auto& file : files) file.first.insert(0, "tiny-imagenet-200/");
  files.emplace_back("tiny-imagenet-200/train/", "");
  testing::write_zip(folder_.at("t.zip"), files);
  expect_small_set(load("images = 't.zip'"));
}

TEST_F(TinyImages, MayBeSomeClassesAndSomeImagesOfEach) {
  write(small_set());
  const TrainTest data = load("classes = 2\nper_class = 1");
  EXPECT_EQ(data.train.classes, 2);
  EXPECT_EQ(data.train.label, (Labels{0, 1}));
  EXPECT_EQ(first_bytes(data.train), (std::vector<int>{50, 30}));
  EXPECT_EQ(data.test.label, (Labels{0, 1, 1}));
  EXPECT_EQ(load("validation = false").test.size(), 0U);
  expect_parts(refused("classes = 4"), {"data.classes = 4", "3 classes"});
}

// Standard scaling counts all images, whichever have rows.
TEST_F(TinyImages, PartsAreThoseOfTheWhole) {
  write(small_set());
  const auto all = source("");
  TrainTest whole = all->load(folder_.path(), 1);
  TrainTest part = all->load_part(folder_.path(), 1, [](const TrainTest& data) {
    EXPECT_EQ(data.train.features(), 12288U);
    return KeptRecords{{false, true, false, false, true, false}, {false, false, false, true}};
  });
  EXPECT_EQ(part.train.label, whole.train.label);
  EXPECT_EQ(first_bytes(part.train), (std::vector<int>{40, 70}));
  EXPECT_EQ(first_bytes(part.test), (std::vector<int>{100}));
  all->scale(whole, {});
  all->scale(part, {});
  EXPECT_EQ(part.scaling, whole.scaling);
}

TEST_F(TinyImages, NamesTheFileThatIsWrong) {
  expect_parts(refused(""), {"tiny", "no such data file"});
  write(small_set());
  folder_.write("tiny/train/n01/images/n01_0.JPEG", grey(1).substr(0, 200));
  expect_parts(refused(""), {"train/n01/images/n01_0.JPEG", "cannot be decoded"});
  folder_.write("tiny/train/n01/images/n01_0.JPEG",
                testing::jpeg(std::vector<std::uint8_t>(64, 1), 8, 1));
  expect_parts(refused(""), {"n01_0.JPEG", "8 x 8 pixels, not 64 x 64"});
  write(small_set());
  folder_.write("tiny/val/val_annotations.txt", "val_0.JPEG\tn09\t0\n");
  expect_parts(refused(""), {"val_annotations.txt:1", "n09"});
  folder_.write("tiny/val/val_annotations.txt", "val_0.JPEG\tn01\t0\n../../a\tn01\n");
  expect_parts(refused(""), {"val_annotations.txt:2", "../../a"});
  folder_.write("tiny/val/val_annotations.txt", "val_0.JPEG\tn01\nval_0.JPEG\tn02\n");
  expect_parts(refused(""), {"val_annotations.txt:2", "twice"});
  folder_.write("tiny/val/val_annotations.txt", "val_7.JPEG\tn01\n");
  expect_parts(refused(""), {"val/images/val_7.JPEG"});
}

TEST_F(TinyImages, RefusesListsOfClassesThatAreNone) {
  write(small_set());
  folder_.write("tiny/wnids.txt", "n02\nn02\n");
  expect_parts(refused(""), {"wnids.txt:2", "n02 comes twice"});
  folder_.write("tiny/wnids.txt", "n02\n../n01\n");
  expect_parts(refused(""), {"wnids.txt:2", "no name of a class"});
  folder_.write("tiny/wnids.txt", "n02\nn\t1\n");
  expect_parts(refused(""), {"wnids.txt:2", "no name of a class"});
  folder_.write("tiny/wnids.txt", "n02\n" + std::string(256, 'n') + "\n");
  expect_parts(refused(""), {"wnids.txt:2", "no name of a class"});
  folder_.write("tiny/wnids.txt", "n02\n");
  expect_parts(refused(""), {"wnids.txt", "fewer than 2"});
  folder_.write("tiny/wnids.txt", "n02\nn04\n");
  expect_parts(refused(""), {"train/n04/images"});
  std::filesystem::remove(folder_.at("tiny/wnids.txt"));
  expect_parts(refused(""), {"no wnids.txt in the folder"});
  testing::write_zip(folder_.at("t.zip"), {{"a/b.txt", "x"}});
  expect_parts(refused("images = 't.zip'"), {"t.zip", "no wnids.txt in the archive"});
  folder_.write("file", "x");
  expect_parts(refused("images = 'file'"), {"file", "a file, not a folder"});
}

}  // namespace trilemma::tiny_imagenet_test
