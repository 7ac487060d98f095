// What all readers of data files do alike (src/data/data_file.hpp), tried on each of them.

#include "data/data_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "data/cifar.hpp"
#include "data/csv.hpp"
#include "data/idx.hpp"
#include "data/leaf.hpp"
#include "data/libsvm.hpp"
#include "data/omniglot.hpp"
#include "data/source.hpp"
#include "tests/support/idx_files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::data_file_test {

using testing::expect_parts;

void read_leaf_file(const std::string& file) {
  UserNumbers users;
  LeafReading found;
  read_leaf({file}, 2, ClassMap(3), users, found);
}

struct Reader {
  const char* name;
  void (*read)(const std::string& file);
};

class DataFile : public ::testing::TestWithParam<Reader> {
 protected:
  std::string refused(const std::string& file) const {
    return testing::refusal([&] { GetParam().read(file); });
  }
  testing::TempFolder folder_;
};

TEST_P(DataFile, IsNamedWhereThereIsNone) {
  expect_parts(refused(folder_.at("gone")), {folder_.at("gone"), "no such data file"});
  expect_parts(refused(folder_.write("file", std::string("x")) + "/gone"), {"file/gone"});
}

TEST_P(DataFile, IsNoFolder) { expect_parts(refused(folder_.path()), {folder_.path(), "folder"}); }

// A pipe would keep its reader waiting for ever.
TEST_P(DataFile, IsNoPipeAndNoDevice) {
  const std::string pipe = folder_.at("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_parts(refused(pipe), {pipe, "a pipe or a device"});
  expect_parts(refused("/dev/zero"), {"/dev/zero", "a pipe or a device"});
}

TEST_P(DataFile, IsNoCircleOfLinks) {
  const std::string link = folder_.at("link");
  std::filesystem::create_symlink("link", link);
  expect_parts(refused(link), {link, "cannot be opened"});
  expect_parts(refused(folder_.at(std::string(5000, 'n'))), {"cannot be opened"});
}

// A regular file by its kind that fails at the first read.
TEST_P(DataFile, IsNamedWhereReadingFails) {
  if (!std::filesystem::exists("/proc/self/mem")) GTEST_SKIP() << "no /proc here";
  expect_parts(refused("/proc/self/mem"), {"/proc/self/mem"});
}

INSTANTIATE_TEST_SUITE_P(
    Readers, DataFile,
    ::testing::Values(Reader{"libsvm",
                             [](const auto& file) {
                               LibsvmLabels labels;
                               LibsvmReading found;
                               read_libsvm(file, 5, labels, found);
                             }},
                      Reader{"idx",
                             [](const auto& file) { IdxPair(file, file, 6, 3, 0).read({}); }},
                      Reader{"cifar", [](const auto& file) { read_cifar({file}, cifar10()); }},
                      Reader{"csv", [](const auto& file) { read_csv(file, ','); }},
                      Reader{"leaf", read_leaf_file},
                      Reader{"omniglot", [](const auto& file) { read_omniglot(file, 28, 40); }}),
    [](const auto& info) { return info.param.name; });

TEST(DataFiles, NameTheFileWhereMemoryRunsOut) {
  for (const bool is_length : {false, true})
    expect_parts(testing::refusal([&] {
                   reading("big.svm", [&]() -> int {
                     if (is_length) throw std::length_error("vector");
                     throw std::bad_alloc();
                   });
                 }),
                 {"big.svm", "not enough memory"});
}

// The labels have a pipe in their place.
TEST(DataFiles, AreCheckedForLabelsToo) {
  const testing::TempFolder folder;
  const std::string images =
      folder.write("images", testing::idx_bytes({0x803, 1, 2, 3}, std::vector<std::uint8_t>(6, 1)));
  const std::string pipe = folder.at("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_parts(testing::refusal([&] { IdxPair(images, pipe, 6, 3, 0).read({}); }),
               {pipe, "a pipe"});
}

std::string refusal_of(const std::string& source, const std::string& toml,
                       const testing::TempFolder& folder) {
  Settings settings = Settings::from_text(toml, "e.toml");
  const auto made = row(sources(), source).make(settings);
  return testing::refusal([&] { made->load(folder.path(), 1); });
}

TEST(DataFiles, AreListedOnce) {
  const testing::TempFolder folder;
  std::vector<std::uint8_t> record(cifar_features + 1, 3);
  folder.write("c.bin", record);
  std::filesystem::create_symlink("c.bin", folder.at("link.bin"));
  std::filesystem::create_hard_link(folder.at("c.bin"), folder.at("hard.bin"));
  for (const char* twin : {"c.bin", "./c.bin", "link.bin", "hard.bin"}) {
    expect_parts(
        refusal_of("cifar", fmt::format("train = ['c.bin', '{}']\ntest = []", twin), folder),
        {twin, "c.bin", "count twice"});
    expect_parts(
        refusal_of("cifar", fmt::format("train = 'c.bin'\ntest = ['c.bin', '{}']", twin), folder),
        {twin, "count twice"});
    expect_parts(
        refusal_of("leaf", fmt::format("train = ['c.bin', '{}']\nfeatures = 2\nclasses = 2", twin),
                   folder),
        {twin, "count twice"});
  }
  expect_parts(refusal_of("cifar", "train = \"c.bin\\u0000x\"\ntest = []", folder),
               {"c.bin\\x00x", "not the name"});
}

TEST(DataFiles, AreLookedForInTheDataDirectory) {
  const testing::TempFolder folder;
  expect_parts(testing::refusal([&] { data_path(folder.path(), "mine/a.csv"); }),
               {folder.at("mine/a.csv"), "no such data file",
                "paths are relative to the data directory " + folder.path()});
  const std::string file = folder.write("a.csv", std::string("x"));
  EXPECT_EQ(data_path(folder.path(), "a.csv"), file);
  EXPECT_EQ(data_path("nowhere", file), file);
}

TEST(DataFiles, ThatAreForTrainingAndTestsAreRemarkedUpon) {
  const testing::TempFolder folder;
  std::vector<std::uint8_t> record(cifar_features + 1, 3);
  folder.write("c.bin", record);
  folder.write("d.bin", record);
  const auto remark = [&](const std::string& test) {
    Settings settings = Settings::from_text(
        fmt::format("train = 'c.bin'\ntest = '{}'\nscaling = 'none'", test), "e");
    return row(sources(), "cifar").make(settings)->load(folder.path(), 1).remark;
  };
  expect_parts(remark("./c.bin"), {"c.bin", "training file and a test file"});
  EXPECT_EQ(remark("d.bin"), "");
}

}  // namespace trilemma::data_file_test
