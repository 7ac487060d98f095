// Convolutions with pooling (src/problem/cnn.cpp, convolution.cpp), by hand.

#include <gtest/gtest.h>

#include "problem/convolution.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::cnn_test {

TEST(Cnn, TheNetworkOfTheSpecHasItsDimension) {
  const std::string defaults;
  EXPECT_EQ(testing::make_problem("cnn", {784, 62}, defaults)->dimension(), 115646U);
  EXPECT_EQ(testing::make_problem("cnn", {784, 62}, defaults)->description(),
            "cnn 28x28x1-32-64-62, kernel 5, d = 115646");
  // 3 x 3 x 3 x 16 + 16 + 3 x 3 x 16 x 32 + 32 + 8 x 8 x 32 x 10 + 10.
  EXPECT_EQ(testing::make_problem("cnn", {3072, 10},
                                  "channels = [16, 32]\nkernel = 3\npadding = 1\ncolours = 3")
                ->dimension(),
            448U + 4640U + 20490U);
}

// 3 x 3 pixels, kernel 2: patches are rows of the matrix, kernel row by kernel row.
TEST(Convolution, PatchesByHand) {
  const Convolution c{3, 3, 1, 2, 0, 1};
  const Vector image{1, 2, 3, 4, 5, 6, 7, 8, 9};
  Vector patches(c.patches() * c.patch_size());
  gather_patches(c, image, patches);
  EXPECT_EQ(patches, (Vector{1, 2, 4, 5, 2, 3, 5, 6, 4, 5, 7, 8, 5, 6, 8, 9}));
  Vector back(9, real{0});
  scatter_patches(c, patches, back);
  EXPECT_EQ(back, (Vector{1, 4, 3, 8, 20, 12, 7, 16, 9}));  // each pixel as often as it is seen
}

TEST(Convolution, PaddingIsZero) {
  const Convolution c{2, 2, 1, 3, 1, 1};
  Vector patches(c.patches() * c.patch_size(), real{7});
  gather_patches(c, Vector{1, 2, 3, 4}, patches);
  EXPECT_EQ(Vector(patches.begin(), patches.begin() + 9), (Vector{0, 0, 0, 0, 1, 2, 0, 3, 4}));
  EXPECT_EQ(Vector(patches.end() - 9, patches.end()), (Vector{1, 2, 0, 3, 4, 0, 0, 0, 0}));
}

// 3 x 5 maps of one channel: two blocks, the last row and column are dropped.
TEST(Convolution, PoolingByHand) {
  const Convolution c{3, 5, 1, 1, 0, 1};
  Vector maps{1, 3, -1, -2, 9, 3, 2, -4, -1, 9, 9, 9, 9, 9, 9};
  Vector pooled(2);
  pool(c, maps, pooled);
  EXPECT_EQ(pooled, (Vector{3, 0}));
  unpool(c, Vector{5, 6}, maps);
  EXPECT_EQ(maps, (Vector{0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

// 2 x 2 pixels, one map with kernel 1: h = max(0, 2 max(a) - 1), logits (h, 0).
TEST(Cnn, LossAndGradientOfOneRecord) {
  const auto problem = testing::make_problem("cnn", {4, 2}, "channels = [1]\nkernel = 1");
  ASSERT_EQ(problem->dimension(), 6U);
  Dataset data = testing::dense_records(1, 4, 2, 1);
  std::get<DenseRows>(data.rows).value = {real{0.25}, real{1}, real{0.5}, real{0}};
  data.label = {1};
  const Vector x{2, -1, 1, 0, 0, 0};
  const auto g = testing::record_gradient(*problem, data, 0, x, 1e30);
  const double p = 1 / (1 + std::exp(-1.0));  // of class 0: h = 1
  const std::vector<double> expected{p, p, p, -p, p, -p};
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(g[j], expected[j], 1e-6) << j;
  EXPECT_NEAR(full_sum(*problem, data, x, {}), std::log(1 + std::exp(1.0)), 1e-6);
}

TEST(Cnn, RefusesWhatIsNoImage) {
  auto refused = [](std::size_t features, const std::string& toml) {
    return testing::refusal([&] { testing::make_problem("cnn", {features, 3}, toml); });
  };
  testing::expect_parts(refused(780, ""), {"colours", "780", "square"});
  testing::expect_parts(refused(784, "colours = 3"), {"colours", "784"});
  testing::expect_parts(refused(64, "kernel = 5"), {"channels", "layer 2", "kernel"});
  testing::expect_parts(refused(784, "channels = []"), {"channels", "softmax"});
}

}  // namespace trilemma::cnn_test
