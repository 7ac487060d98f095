// CIFAR-10 in its binary version (src/data/cifar.hpp).

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
    return testing::refusal([&] { read_cifar({file}); });
  }
  testing::TempFolder folder_;
};

TEST_F(Cifar, ReadsFilesOneAfterTheOtherInTheOrderOfTheirBytes) {
  auto two = record(9, 3);
  const auto second = record(0, 7);
  two.insert(two.end(), second.begin(), second.end());
  const Dataset data =
      read_cifar({folder_.write("1.bin", two), folder_.write("2.bin", record(4, 0))});
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
  expect_parts(testing::refusal([&] { read_cifar({folder_.at("none")}); }), {"no such data file"});
}

}  // namespace trilemma::cifar_test
