// CIFAR in its binary versions (src/data/cifar.hpp).

#include "data/cifar.hpp"

#include <gtest/gtest.h>

#include "data/source.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::cifar_test {

using testing::expect_parts;

// A record whose bytes count up from `first`.
std::vector<std::uint8_t> record(std::uint8_t label, std::uint8_t first) {
  std::vector<std::uint8_t> bytes{label};
  for (std::size_t i = 0; i < cifar_features; ++i)
    bytes.push_back(static_cast<std::uint8_t>(first + i));
  return bytes;
}

class Cifar : public ::testing::Test {
 protected:
  std::string refused(const std::vector<std::uint8_t>& bytes) {
    const std::string file = folder_.write("bad.bin", bytes);
    return testing::refusal([&] { read_cifar({file}, cifar10()); });
  }
  testing::TempFolder folder_;
};

TEST_F(Cifar, ReadsFilesOneAfterTheOtherInTheOrderOfTheirBytes) {
  auto two = record(9, 3);
  const auto second = record(0, 7);
  two.insert(two.end(), second.begin(), second.end());
  const Dataset data =
      read_cifar({folder_.write("1.bin", two), folder_.write("2.bin", record(4, 0))}, cifar10());
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{9, 0, 4}));
  EXPECT_EQ(data.classes, 10);
  const auto& rows = std::get<DenseRows>(data.rows);
  EXPECT_EQ(rows.rows(), 3U);
  EXPECT_EQ(rows.byte[0], 3);                          // red, first pixel
  EXPECT_EQ(rows.byte[cifar_features + 1], 8);         // second record, second byte
  EXPECT_EQ(rows.byte[2 * cifar_features + 2048], 0);  // blue, 2048 = 8 * 256
  EXPECT_EQ(rows.byte[3 * cifar_features - 1], 3071 % 256);
  Vector row(cifar_features);
  const std::uint32_t second_row = 1;
  rows.gather({&second_row, 1}, row);
  EXPECT_NEAR(row[1], 8.0 / 255.0, 1e-7);
}

TEST_F(Cifar, UsesTheFirstRowsOnly) {
  folder_.write("1.bin", record(9, 3));
  folder_.write("2.bin", record(4, 0));
  Settings settings =
      Settings::from_text("train = ['1.bin', '2.bin']\ntest = []\nrows = 1", "e.toml");
  const TrainTest data = row(sources(), "cifar").make(settings)->load(folder_.path(), 1);
  EXPECT_EQ(data.train.label, (std::vector<std::int32_t>{9}));
  EXPECT_EQ(data.test.size(), 0U);
  Settings more = Settings::from_text("train = '1.bin'\ntest = []\nrows = 2", "e.toml");
  const auto source = row(sources(), "cifar").make(more);
  expect_parts(testing::refusal([&] { source->load(folder_.path(), 1); }),
               {"data.rows = 2", "1 records only"});
}

// (byte / 255 - 0.4914) / 0.2023 and the like: the constants of the public code of FAVANO.
TEST_F(Cifar, HasUsualConstantsOfItsPlanes) {
  folder_.write("1.bin", record(9, 255));
  Settings settings =
      Settings::from_text("train = '1.bin'\ntest = []\nscaling = 'channels'", "e.toml");
  const auto source = row(sources(), "cifar").make(settings);
  TrainTest data = source->load(folder_.path(), 1);
  source->scale(data, {});
  Vector image(cifar_features);
  const std::uint32_t first = 0;
  std::get<DenseRows>(data.train.rows).gather({&first, 1}, image);
  EXPECT_NEAR(image[0], (1 - 0.4914) / 0.2023, 1e-5);
  EXPECT_NEAR(image[1024], (1 - 0.4822) / 0.1994, 1e-5);
  EXPECT_NEAR(image[2048 + 1], (0 - 0.4465) / 0.2010, 1e-5);
}

TEST_F(Cifar, RefusesWrongSizes) {
  auto bytes = record(1, 0);
  bytes.pop_back();
  expect_parts(refused(bytes), {"bad.bin", "3072 bytes", "3073"});
  bytes.resize(cifar_features + 2);
  expect_parts(refused(bytes), {"bad.bin", "3074 bytes"});
  expect_parts(refused({}), {"bad.bin", "empty"});
}

TEST_F(Cifar, RefusesOtherLabelsAndMissingFiles) {
  auto bytes = record(1, 0);
  const auto second = record(10, 0);
  bytes.insert(bytes.end(), second.begin(), second.end());
  expect_parts(refused(bytes), {"bad.bin", "label 10", "record 1", "another file"});
  expect_parts(testing::refusal([&] { read_cifar({folder_.at("none")}, cifar10()); }),
               {"no such data file"});
}

// A record of CIFAR-100: the coarse label, the fine label, bytes that count up from `first`.
std::vector<std::uint8_t> record100(std::uint8_t coarse, std::uint8_t fine, std::uint8_t first) {
  std::vector<std::uint8_t> bytes = record(fine, first);
  bytes.insert(bytes.begin(), coarse);
  return bytes;
}

TEST_F(Cifar, OneOfTheTwoLabelsOfCifar100IsUsed) {
  auto two = record100(19, 99, 5);
  const auto second = record100(0, 20, 7);
  two.insert(two.end(), second.begin(), second.end());
  folder_.write("train.bin", two);
  folder_.write("test.bin", record100(4, 17, 0));
  const auto load = [&](const std::string& more) {
    Settings settings =
        Settings::from_text("train = 'train.bin'\ntest = 'test.bin'\n" + more, "e.toml");
    return row(sources(), "cifar100").make(settings)->load(folder_.path(), 1);
  };
  const TrainTest fine = load("");
  EXPECT_EQ(fine.train.label, (std::vector<std::int32_t>{99, 20}));
  EXPECT_EQ(fine.train.classes, 100);
  EXPECT_EQ(fine.test.label, (std::vector<std::int32_t>{17}));
  const auto& rows = std::get<DenseRows>(fine.train.rows);
  EXPECT_EQ(rows.byte[0], 5);
  EXPECT_EQ(rows.byte[cifar_features], 7);
  const TrainTest coarse = load("label_level = 'coarse'");
  EXPECT_EQ(coarse.train.label, (std::vector<std::int32_t>{19, 0}));
  EXPECT_EQ(coarse.train.classes, 20);
  EXPECT_EQ(std::get<DenseRows>(coarse.train.rows).byte, rows.byte);
}

TEST_F(Cifar, RefusesOtherFilesThanCifar100) {
  const auto refused100 = [&](const std::vector<std::uint8_t>& bytes) {
    const std::string file = folder_.write("bad.bin", bytes);
    return testing::refusal([&] { read_cifar({file}, cifar100_fine()); });
  };
  expect_parts(refused100(record(1, 0)), {"bad.bin", "3073 bytes", "3074", "CIFAR-100"});
  expect_parts(refused100(record100(20, 3, 0)), {"label 20", "record 0", "0 to 19"});
  expect_parts(refused100(record100(19, 100, 0)), {"label 100", "record 0", "0 to 99"});
}

}  // namespace trilemma::cifar_test
