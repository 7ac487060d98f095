// Laws of start models by layer (src/problem/start_law.hpp), and the layers that problems declare.

#include "problem/start_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::start_law_test {

using testing::make_problem;

const Key key{5, Purpose::init, 0, 0};

std::vector<StartLayer> layers_of(const char* name, std::size_t features, const char* toml) {
  return make_problem(name, {features, 3}, toml)->start_layers();
}

void expect_layer(const StartLayer& layer, std::size_t first, std::size_t fan_in,
                  std::size_t fan_out, std::size_t outputs, bool is_rectified) {
  EXPECT_EQ(layer.first, first);
  EXPECT_EQ(layer.fan_in, fan_in);
  EXPECT_EQ(layer.fan_out, fan_out);
  EXPECT_EQ(layer.outputs, outputs);
  EXPECT_EQ(layer.is_rectified, is_rectified);
}

// 6-5-4-3: W_1 30, b_1 5, W_2 20, b_2 4, W_3 12, b_3 3.
TEST(StartLayers, OfANetwork) {
  const auto found = layers_of("network", 6, "hidden = [5, 4]\nactivation = \"relu\"");
  ASSERT_EQ(found.size(), 3U);
  expect_layer(found[0], 0, 6, 5, 5, true);
  expect_layer(found[1], 35, 5, 4, 4, true);
  expect_layer(found[2], 59, 4, 3, 3, false);
  EXPECT_EQ(found[0].bias(), 30U);
  EXPECT_EQ(found[2].end(), 74U);
  EXPECT_EQ(found[2].end(), make_problem("network", {6, 3}, "hidden = [5, 4]")->dimension());
  EXPECT_EQ(layers_of("network", 6, "hidden = []").size(), 1U);
}

// 6 x 6 pixels of 2 colours, 3 x 3 kernels with padding: 3 maps of 6 x 6, pooled to 3 x 3; 4 maps
// of 3 x 3, pooled to 1 x 1; 4 values for 3 classes. W_1 9 * 2 * 3 = 54, W_2 9 * 3 * 4 = 108.
TEST(StartLayers, OfConvolutions) {
  const char* toml = "channels = [3, 4]\nkernel = 3\npadding = 1\ncolours = 2";
  const auto found = layers_of("cnn", 72, toml);
  ASSERT_EQ(found.size(), 3U);
  expect_layer(found[0], 0, 18, 27, 3, true);
  expect_layer(found[1], 57, 27, 36, 4, true);
  expect_layer(found[2], 169, 4, 3, 3, false);
  EXPECT_EQ(found[2].end(), make_problem("cnn", {72, 3}, toml)->dimension());
}

TEST(StartLayers, FewBitsLeaveThemAsTheyAre) {
  for (const char* name : {"network", "cnn"}) {
    const auto whole = make_problem(name, {784, 3}, "")->start_layers();
    const auto few = make_problem(name, {784, 3}, "quantise = \"luq\"")->start_layers();
    ASSERT_EQ(whole.size(), few.size());
    EXPECT_EQ(whole.back().end(), few.back().end());
  }
}

TEST(StartLayers, UsualLaws) {
  const auto usual = [](const char* name, const char* toml) {
    return make_problem(name, {784, std::string(name) == "linear" ? 0 : 2}, toml)->usual_start();
  };
  EXPECT_EQ(usual("network", ""), StartLaw::glorot);
  EXPECT_EQ(usual("network", "activation = \"tanh\""), StartLaw::glorot);
  EXPECT_EQ(usual("network", "activation = \"relu\""), StartLaw::he);
  EXPECT_EQ(usual("network", "hidden = []"), StartLaw::zero);
  EXPECT_EQ(usual("cnn", ""), StartLaw::glorot);
  for (const char* convex : {"logistic", "softmax", "linear", "mean"})
    EXPECT_EQ(usual(convex, ""), StartLaw::zero) << convex;
}

// Two layers, 400-300-200, with 7 coordinates of no layer between them.
const std::vector<StartLayer> two{{0, 400, 300, 300, true}, {120'307, 300, 200, 200, false}};
constexpr std::size_t dimension = 180'507;

struct Expected {
  StartLaw law;
  double variance[2];  ///< of the weights of each layer
  double bound[2];     ///< that no number exceeds; 0: none
  double bias[2];      ///< bound of the biases
};

TEST(StartLaws, MomentsByLayer) {
  const double glorot[] = {std::sqrt(6.0 / 700), std::sqrt(6.0 / 500)};
  const double fan_in[] = {1 / 20.0, 1 / std::sqrt(300.0)};
  const Expected all[] = {
      {StartLaw::he, {2 / 400.0, 2 / 300.0}, {0, 0}, {0, 0}},
      {StartLaw::glorot, {2 / 700.0, 2 / 500.0}, {glorot[0], glorot[1]}, {0, 0}},
      {StartLaw::fan_in, {1 / 1200.0, 1 / 900.0}, {fan_in[0], fan_in[1]}, {fan_in[0], fan_in[1]}},
  };
  for (const Expected& expected : all) {
    const auto x = draw_layers(two, expected.law, key, dimension);
    for (std::size_t l = 0; l < 2; ++l) {
      testing::Sample weights;
      double largest = 0;
      for (std::size_t j = two[l].first; j < two[l].bias(); ++j) {
        weights.add(x[j]);
        largest = std::max(largest, std::abs(x[j]));
      }
      testing::expect_mean(weights, 0);
      // Five standard errors; a normal number's square has the largest spread, 2 variance^2.
      EXPECT_NEAR(weights.variance() / expected.variance[l], 1,
                  5 * std::sqrt(2.0 / static_cast<double>(two[l].bias() - two[l].first)));
      if (expected.bound[l] > 0) {
        EXPECT_LE(largest, expected.bound[l]);
        EXPECT_GT(largest, 0.999 * expected.bound[l]);
      }
      double bias = 0;
      for (std::size_t j = two[l].bias(); j < two[l].end(); ++j)
        bias = std::max(bias, std::abs(x[j]));
      EXPECT_LE(bias, expected.bias[l]);
      EXPECT_GE(bias, 0.9 * expected.bias[l]);
    }
    for (std::size_t j = two[0].end(); j < two[1].first; ++j) EXPECT_EQ(x[j], 0) << j;
  }
}

// Coordinate j has number j of the stream, whatever its layer is.
TEST(StartLaws, NumbersAreAddressedByCoordinate) {
  const auto x = draw_layers(two, StartLaw::fan_in, key, dimension);
  Stream stream(key);
  for (std::size_t j = 0; j < 10; ++j) EXPECT_EQ(x[j], (2 * stream.uniform() - 1) * (1 / 20.0));
  std::vector<double> z(3);
  normals(key, 120'307, z);
  const auto he = draw_layers(two, StartLaw::he, key, dimension);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(he[120'307 + j], z[j] * std::sqrt(2 / 300.0));
}

// 2-2-2 and what makes its hidden units useless.
std::string stuck(const Vector& x, bool is_rectified = false) {
  const std::vector<StartLayer> layers{{0, 2, 2, 2, is_rectified}, {6, 2, 2, 2, false}};
  return stuck_layer(layers, x);
}

TEST(StuckLayers, AreFound) {
  EXPECT_NE(stuck(Vector(12, 0)), "");
  EXPECT_NE(stuck(Vector(12, real{0.5})), "");
  const Vector equal{1, 1, 2, 2, 3, 3, 4, 5, 4, 5, 6, 7};  // columns of W_1, rows of W_2
  EXPECT_NE(stuck(equal), "");
  for (const std::size_t j : {0U, 3U, 4U, 6U, 9U}) {
    Vector x = equal;
    x[j] += 1;
    EXPECT_EQ(stuck(x), "") << j;
  }
  const Vector off{0, 0, 0, 0, 0, -1, 4, 5, 6, 7, 0, 0};
  EXPECT_NE(stuck(off, true).find("ReLU"), std::string::npos);
  EXPECT_EQ(stuck(off), "");
  Vector on = off;
  on[4] = 1;
  EXPECT_EQ(stuck(on, true), "");
}

TEST(StuckLayers, OneUnitIsNotEqualToOthers) {
  const std::vector<StartLayer> layers{{0, 2, 1, 1, false}, {3, 1, 2, 2, false}};
  EXPECT_EQ(stuck_layer(layers, Vector(7, 0)), "");
  const std::vector<StartLayer> linear{{0, 2, 2, 2, false}};
  EXPECT_EQ(stuck_layer(linear, Vector(6, 0)), "");
}

// Maps of a convolution, whose values the layer above sees cell by cell.
TEST(StuckLayers, AreFoundAmongMaps) {
  const auto problem =
      make_problem("cnn", {72, 3}, "channels = [3, 4]\nkernel = 3\npadding = 1\ncolours = 2");
  const auto layers = problem->start_layers();
  const auto drawn = draw_layers(layers, StartLaw::he, key, problem->dimension());
  Vector x(drawn.begin(), drawn.end());
  EXPECT_EQ(stuck_layer(layers, x), "");
  for (std::size_t j = 0; j < 57; ++j) x[j] = x[j - j % 3];  // all maps of the first layer
  EXPECT_EQ(stuck_layer(layers, x), "");
  for (std::size_t r = 0; r < 27; ++r)
    for (std::size_t k = 0; k < 4; ++k) x[57 + 4 * r + k] = x[57 + 4 * (r - r % 3) + k];
  EXPECT_NE(stuck_layer(layers, x).find("3 units of hidden layer 1"), std::string::npos);
}

}  // namespace trilemma::start_law_test
