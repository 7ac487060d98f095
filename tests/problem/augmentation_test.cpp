// Random crops and reflections of images (src/problem/layers/augmentation.hpp), by hand.

#include "problem/layers/augmentation.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::augmentation_test {

std::unique_ptr<Problem> problem_of(const std::string& layers, std::size_t features,
                                    const std::string& more) {
  return testing::make_problem("layers", {features, 2}, "layers = " + layers + "\n" + more);
}

// An image of 3 x 3 pixels in two planes, whose values are unlike: every result is a crop of the
// framed image, mirrored or not, the same for both planes, and all of them occur. Each plane has a
// frame of its own value.
TEST(Augmentation, IsARandomCropOrItsReflection) {
  constexpr std::size_t side = 3;
  Vector image(2 * side * side);
  std::iota(image.begin(), image.end(), real{1});
  const Vector black{-1, -2};
  std::set<Vector> seen;
  for (std::uint32_t record = 0; record < 400; ++record) {
    Vector changed = image;
    augment({.crop = 1, .flips = true}, {side, 2}, black, {5, Purpose::training, 1, 2}, record,
            changed);
    std::size_t matches = 0;
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right)
        for (const bool is_mirrored : {false, true}) {
          Vector expected;
          for (int plane = 0; plane < 2; ++plane)
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j) {
                const int row = i + down;
                const int column = (is_mirrored ? 2 - j : j) + right;
                const bool is_inside = row >= 0 && row < 3 && column >= 0 && column < 3;
                expected.push_back(is_inside ? static_cast<real>(9 * plane + 3 * row + column + 1)
                                             : black[static_cast<std::size_t>(plane)]);
              }
          matches += expected == changed;
        }
    EXPECT_EQ(matches, 1U);
    seen.insert(changed);
  }
  EXPECT_EQ(seen.size(), 18U);
}

// Images of 255 in three planes with scales of their own: a pixel that moves in is the black of its
// plane, -mean / deviation.
TEST(Augmentation, MovesInTheBlackPixelOfEachPlane) {
  Dataset data;
  data.classes = 2;
  data.label.assign(8, 0);
  DenseRows images;
  images.columns = 27;
  images.byte.assign(8 * 27, 255);
  images.planes = {{1.0 / 255, 0}, {1.0 / 255, -0.5}, {2.0 / 255, -1.5}};
  data.rows = images;
  const auto problem = problem_of("['conv 1 3', 'dense']", 27, "colours = 3\ncrop = 3");
  Batch batch;
  batch.coins = Key{1, Purpose::training, 0, 3};
  const std::vector<std::uint32_t> rows{0, 1, 2, 3, 4, 5, 6, 7};
  problem->load(data, rows, batch);
  const Vector white{1, 0.5, 0.5};
  const Vector black{0, -0.5, -1.5};
  std::size_t moved = 0;
  for (std::size_t pixel = 0; pixel < 8 * 9; ++pixel) {
    const bool is_new = batch.dense[3 * pixel] == black[0];
    moved += is_new ? 1 : 0;
    for (std::size_t plane = 0; plane < 3; ++plane)
      EXPECT_NEAR(batch.dense[3 * pixel + plane], (is_new ? black : white)[plane], 1e-6);
  }
  EXPECT_GT(moved, 0U);
  EXPECT_LT(moved, 8U * 9U);
}

TEST(Augmentation, ChangesLocalStepsOnly) {
  const auto problem =
      problem_of("['conv 2 3', 'dense']", 50, "colours = 2\ncrop = 2\nflip = true");
  Dataset data = testing::dense_records(4, 50, 2, 1);
  const std::vector<std::uint32_t> rows{2, 0};
  Batch batch;
  problem->load(data, rows, batch);
  const Vector plain = batch.dense;
  batch.coins = Key{1, Purpose::training, 0, 3};
  problem->load(data, rows, batch);
  const Vector changed = batch.dense;
  EXPECT_NE(changed, plain);
  problem->load(data, rows, batch);
  EXPECT_EQ(batch.dense, changed);  // the same coins
  batch.coins->round = 4;
  problem->load(data, rows, batch);
  EXPECT_NE(batch.dense, changed);
  batch.coins.reset();
  problem->load(data, rows, batch);
  EXPECT_EQ(batch.dense, plain);
  EXPECT_NE(testing::refusal([&] { problem_of("['dense']", 50, "crop = 2"); }).find("vector"),
            std::string::npos);
}

}  // namespace trilemma::augmentation_test
