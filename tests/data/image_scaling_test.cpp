// Scaling of images by stated constants of each colour plane (src/data/image_scaling.hpp).

#include "data/image_scaling.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::image_scaling_test {

using testing::expect_parts;
using testing::refusal;

ImageScaling read(const std::string& toml, std::size_t planes) {
  Settings settings = Settings::from_text(toml, "e.toml");
  Reader reader(settings);
  ImageScaling scaling;
  scaling.read(reader, planes);
  return scaling;
}

// One training and one test image of two pixels in three planes.
TrainTest images() {
  TrainTest data;
  DenseRows rows;
  rows.columns = 6;
  rows.byte = {0, 255, 0, 255, 0, 255};
  data.train.rows = rows;
  data.train.label = {0};
  rows.byte = {51, 51, 51, 51, 51, 51};
  data.test.rows = rows;
  data.test.label = {1};
  return data;
}

Vector values(const Dataset& data) {
  const auto& rows = std::get<DenseRows>(data.rows);
  Vector found(rows.columns);
  const std::uint32_t first = 0;
  rows.gather({&first, 1}, found);
  return found;
}

constexpr const char* three =
    "scaling = 'channels'\nchannel_means = [0.5, 0.25, 0.0]\nchannel_deviations = [0.25, 0.5, 1]";

// Black and white are (0 - m) / d and (1 - m) / d, 51 is (0.2 - m) / d.
TEST(ImageScaling, EachPlaneHasItsMeanAndDeviation) {
  TrainTest data = images();
  read(three, 3).apply(data);
  const Vector train = values(data.train);
  const Vector expected{-2, 2, -0.5, 1.5, 0, 1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(train[i], expected[i], 8 * testing::rounding);
  const Vector test = values(data.test);
  EXPECT_NEAR(test[0], -1.2, 8 * testing::rounding);
  EXPECT_NEAR(test[3], -0.1, 8 * testing::rounding);
  EXPECT_NEAR(test[5], 0.2, 8 * testing::rounding);
  EXPECT_EQ(data.scaling, "minus (0.5, 0.25, 0), divided by (0.25, 0.5, 1)");
  const auto& rows = std::get<DenseRows>(data.train.rows);
  EXPECT_EQ(rows.black(1), real{-2});
  EXPECT_EQ(rows.black(2), real{-0.5});
  EXPECT_EQ(rows.black(4), real{0});
}

TEST(ImageScaling, SelectedImagesKeepTheScalesOfTheirPlanes) {
  TrainTest data = images();
  read(three, 3).apply(data);
  const std::vector<std::uint32_t> first{0};
  EXPECT_EQ(values(data.train.select(first)), values(data.train));
}

// Dense products, since an index of nonzero bytes knows one scale only.
TEST(ImageScaling, ImagesWithSeveralScalesGetNoIndexOfNonZeros) {
  TrainTest data = images();
  auto& rows = std::get<DenseRows>(data.train.rows);
  rows.byte = {0, 0, 0, 0, 0, 255};
  data.train.prepare();
  EXPECT_FALSE(rows.nonzeros.start.empty());
  rows.nonzeros = {};
  read(three, 3).apply(data);
  data.train.prepare();
  EXPECT_TRUE(rows.nonzeros.start.empty());
}

TEST(ImageScaling, OnePlaneIsOneScaleOfAllBytes) {
  TrainTest data = images();
  read("scaling = 'channels'\nchannel_means = 0.5\nchannel_deviations = 0.25", 0).apply(data);
  const auto& rows = std::get<DenseRows>(data.train.rows);
  EXPECT_TRUE(rows.planes.empty());
  EXPECT_EQ(rows.shift, -2.0);
  EXPECT_NEAR(values(data.test)[2], -1.2, 8 * testing::rounding);
  EXPECT_EQ(data.scaling, "minus 0.5, divided by 0.25");
}

TEST(ImageScaling, NumbersThatAreNotBytesTakeThePlaceOfByteOver255) {
  TrainTest data = images();
  DenseRows rows;
  rows.columns = 6;
  rows.value = {0, 1, 0, 1, 0, 1};
  data.train.rows = rows;
  read(three, 3).apply(data);
  EXPECT_EQ(std::get<DenseRows>(data.train.rows).value, (Vector{-2, 2, -0.5, 1.5, 0, 1}));
}

TEST(ImageScaling, RefusesListsThatDoNotFit) {
  expect_parts(refusal([] { read("scaling = 'channels'", 0); }),
               {"channel_means", "one number by colour plane"});
  expect_parts(refusal([] { read(three, 1); }), {"e.toml:2", "channel_means", "expected 1 number"});
  expect_parts(refusal([] {
                 read("scaling = 'channels'\nchannel_means = [1, 2]\nchannel_deviations = 1", 0);
               }),
               {"e.toml:3", "expected 2 numbers"});
  expect_parts(
      refusal([] { read("scaling = 'channels'\nchannel_means = 1\nchannel_deviations = 0", 0); }),
      {"e.toml:3", "channel_deviations", "numbers"});
  TrainTest data = images();
  std::get<DenseRows>(data.train.rows).columns = 4;
  expect_parts(refusal([&] { read(three, 3).apply(data); }), {"3 numbers", "4 pixels"});
}

// Only `channels` has the two keys.
TEST(ImageScaling, OtherScalingsHaveNoConstants) {
  EXPECT_EQ(read("", 3).kind, Scaling::standard);
  TrainTest data = images();
  read("scaling = 'none'", 3).apply(data);
  EXPECT_EQ(values(data.train)[1], real{1});
  EXPECT_EQ(data.scaling, "");
}

}  // namespace trilemma::image_scaling_test
