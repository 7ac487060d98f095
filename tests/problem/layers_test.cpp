// Networks of listed layers (src/problem/layers.cpp and layers/): shapes, layers by hand, and what
// is refused. Derivatives of every kind of layer: tests/conformance/problems_test.cpp in double.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numeric/lanes.hpp"
#include "problem/kernels/elementwise.hpp"
#include "problem/layers/layer_list.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::layers_test {

std::unique_ptr<Problem> layers(const std::string& list, const DataShape& shape,
                                const std::string& more = "") {
  return testing::make_problem("layers", shape, "layers = " + list + "\n" + more);
}

// LeNet: 3 5 5 6 + 6, 6 5 5 16 + 16, 400 120 + 120, 120 84 + 84, 84 10 + 10. ResNet-20 has 269,722
// parameters (He et al. 2016: 0.27 million), LEAF's network for FEMNIST 6,603,710.
TEST(Layers, PresetsHaveThePublishedNumbersOfParameters) {
  EXPECT_EQ(layers("'lenet5'", {3072, 10})->dimension(), 62006U);
  EXPECT_EQ(layers("'resnet20'", {3072, 10})->dimension(), 269722U);
  EXPECT_EQ(layers("'cnn-femnist'", {784, 62})->dimension(), 6603710U);
  EXPECT_EQ(layers("'mlp'", {784, 10})->dimension(), 199210U);
  // As torchvision's with a first convolution of 3 x 3: 11,689,512 with 7 x 7 and 1,000 classes.
  EXPECT_EQ(layers("'resnet18'", {3072, 10})->dimension(),
            11689512U - 64 * 3 * (49 - 9) - 990 * 513);
  // Embedding 256 64, positions 28 64; a block 2 64 + 64 192 + 192 + 64 64 + 64, 2 64 + 64 256 +
  // 256 + 256 64 + 64 = 49,984; norm 2 64, dense 64 10 + 10.
  EXPECT_EQ(layers("'transformer-tiny'", {28, 10})->dimension(), 118922U);
  for (const LayerPreset& preset : layer_presets())
    EXPECT_NO_THROW(layers(fmt::format("'{}'", preset.name), {3072, 10})) << preset.name;
}

TEST(Layers, DescribeThemselves) {
  EXPECT_EQ(layers("['conv 6 5', 'relu', 'dense']", {3072, 10})->description(),
            "layers 32x32x3, conv 6 5, relu, dense, d = 47506");
  EXPECT_EQ(layers("'mlp'", {20, 3})->description(), "layers 20, mlp, d = 45003");
}

// network and cnn are lists of layers: the same gradients, to the bit.
TEST(Layers, ANetworkAndACnnAreLists) {
  const auto same = [](const Problem& a, const Problem& b) {
    return a.dimension() == b.dimension();
  };
  const Dataset data = testing::dense_records(20, 108, 3, 1);
  const auto expect_same = [&](Problem& a, Problem& b) {
    ASSERT_TRUE(same(a, b));
    const Vector x = testing::random_vector(a.dimension(), 4, 0.3);
    std::vector<double> of_a(x.size(), 0.0);
    std::vector<double> of_b(x.size(), 0.0);
    EXPECT_EQ(full_sum(a, data, x, of_a), full_sum(b, data, x, of_b));
    EXPECT_EQ(of_a, of_b);
  };
  const auto network =
      testing::make_problem("network", {108, 3}, "hidden = [7, 5]\nactivation = 'tanh'");
  expect_same(*network, *layers("['dense 7', 'tanh', 'dense 5', 'tanh', 'dense']", {108, 3}));
  const auto cnn = testing::make_problem("cnn", {108, 3},
                                         "channels = [4]\nkernel = 3\npadding = 1\ncolours = 3");
  expect_same(*cnn, *layers("['conv 4 3 1 1', 'relu', 'maxpool 2', 'dense 3']", {108, 3}));
}

// A record of 2 x 2 pixels; the weights of the last layer pick an output.
class OneLayer : public ::testing::Test {
 protected:
  // Logits of pixels (1, 2, 4, 8) for the given layers and model.
  static Vector logits(const std::string& list, const Vector& x, const Vector& pixels) {
    const auto problem = layers(list, {pixels.size(), 2}, "colours = 1");
    EXPECT_EQ(problem->dimension(), x.size());
    Dataset data = testing::dense_records(1, pixels.size(), 2, 1);
    std::get<DenseRows>(data.rows).value = pixels;
    data.prepare();
    const std::vector<std::uint32_t> rows{0};
    Batch batch;
    problem->load(data, rows, batch);
    Vector out(2);
    problem->as_classifier()->logits(batch, x, out);
    return out;
  }
};

TEST_F(OneLayer, MaxAndMeanPooling) {
  const Vector dense{1, 0, 0, 1};  // logits (v, 1)
  EXPECT_EQ(logits("['maxpool 2', 'dense']", dense, {1, 2, 8, 4}), (Vector{8, 1}));
  EXPECT_EQ(logits("['avgpool 2', 'dense']", dense, {1, 2, 8, 5}), (Vector{4, 1}));
  EXPECT_EQ(logits("['globalpool', 'dense']", dense, {1, 2, 8, 5}), (Vector{4, 1}));
}

// The kernel (1, 10, 100, 1000) on pixels 1 to 9 with padding 1 and stride 2: 2 x 2 maps.
TEST_F(OneLayer, ConvolutionWithStride) {
  const Vector pixels{1, 2, 3, 4, 5, 6, 7, 8, 9};
  Vector x{1, 10, 100, 1000, 0};
  for (const real weight : {1.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F})
    x.push_back(weight);  // logits: maps 0 and 3
  EXPECT_EQ(logits("['conv 1 2 2 1', 'dense']", x, pixels), (Vector{1000, 9865}));
}

// Values 1 and 3 become -1 and 1 up to the 1e-5 added to the variance, then 2 n + 5.
TEST_F(OneLayer, GroupNormByHand) {
  const Vector x{2, 5, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0};
  const Vector found = logits("['groupnorm 1', 'dense']", x, {1, 3, 3, 1});
  EXPECT_NEAR(found[0], 3, 1e-4);
  EXPECT_NEAR(found[1], 3, 1e-4);
}

// z + (3 z + 1) for the values z of the first layer.
TEST_F(OneLayer, ResidualBlock) {
  // conv 1 1 (weight 1, bias 0), skip, conv 1 1 (weight 3, bias 1), add: 4 z + 1.
  const Vector x{1, 0, 3, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0};
  EXPECT_EQ(logits("['conv 1 1', 'skip', 'conv 1 1', 'add', 'dense']", x, {1, 2, 4, 8}),
            (Vector{5, 33}));
}

// (3 z + 1) + (2 z + 5) for the values z of the first layer, with a shortcut of its own.
TEST_F(OneLayer, ResidualBlockWithAShortcut) {
  const Vector x{1, 0, 3, 1, 2, 5, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0};
  EXPECT_EQ(logits("['conv 1 1', 'skip', 'conv 1 1', 'shortcut', 'conv 1 1', 'add', 'dense']", x,
                   {1, 2, 4, 8}),
            (Vector{11, 46}));
}

TEST_F(OneLayer, Gelu) {
  const Vector x{1, 0, 1, 0, 0, 0};  // dense 1: weight 1 and bias 0; then logits (h, 0)
  EXPECT_NEAR(logits("['dense 1', 'gelu', 'dense']", {1, 0, 1, 0, 0, 0}, {1})[0], 0.841345, 1e-5);
  EXPECT_NEAR(logits("['dense 1', 'gelu', 'dense']", x, {-1})[0], -0.158655, 1e-5);
}

// Tokens 2, 0, 2 of a vocabulary of 3 in one dimension, whose vectors are 10, 20 and 30.
TEST_F(OneLayer, EmbeddingAndPositions) {
  const Vector picks{1, 0, 0, 1, 0, 0, 0, 0};  // logits: positions 0 and 1
  Vector x{10, 20, 30};
  x.insert(x.end(), picks.begin(), picks.end());
  EXPECT_EQ(logits("['embedding 3 1', 'dense']", x, {2, 0, 2}), (Vector{30, 10}));
  Vector with_positions{10, 20, 30, 1, 2, 3};
  with_positions.insert(with_positions.end(), picks.begin(), picks.end());
  EXPECT_EQ(logits("['embedding 3 1', 'positions', 'dense']", with_positions, {2, 0, 2}),
            (Vector{31, 12}));
  const Vector last{10, 20, 30, 1, 0, 0, 0};
  EXPECT_EQ(logits("['embedding 3 1', 'last', 'dense']", last, {2, 0, 1}), (Vector{20, 0}));
}

// One head of one channel. Queries are 1 and keys ln 2 where the token is 1, otherwise 0; values
// are the embeddings 0 and 6. Tokens 0, 1, 0, 1: shares (1), (1, 2)/3, (1, 2, 1)/4, (1, 2, 1, 2)/6,
// so outputs 0, 4, 3, 4.
TEST_F(OneLayer, AttentionSeesEarlierPositionsOnly) {
  const real key = std::log(real{2}) / 6;
  const std::string list = "['embedding 2 1', 'attention 1', 'dense']";
  for (const bool sees_end : {false, true}) {
    Vector x{0, 6, 0, key, 1, 1, 0, 0, 1, 0};  // embeddings; W and b of q, k, v; W and b of o
    for (int p = 0; p < 4; ++p) {              // logits: positions 1 and 2, or 0 and 3
      x.push_back(p == (sees_end ? 0 : 1) ? 1 : 0);
      x.push_back(p == (sees_end ? 3 : 2) ? 1 : 0);
    }
    x.insert(x.end(), {0, 0});
    const Vector found = logits(list, x, {0, 1, 0, 1});
    EXPECT_NEAR(found[0], sees_end ? 0 : 4, 1e-5);
    EXPECT_NEAR(found[1], sees_end ? 4 : 3, 1e-5);
  }
}

// Bytes are tokens whatever their scale as features.
TEST(Layers, TokensMayBeBytes) {
  const auto problem = layers("['embedding 256 3', 'positions', 'attention 1', 'dense']", {6, 3});
  Dataset bytes = testing::byte_records(7, 6, 3, 1);
  std::get<DenseRows>(bytes.rows).scale = 0.25;
  std::get<DenseRows>(bytes.rows).shift = -1;
  Dataset reals = bytes;
  auto& rows = std::get<DenseRows>(reals.rows);
  rows.value.assign(rows.byte.begin(), rows.byte.end());
  rows.byte.clear();
  rows.nonzeros = {};
  const Vector x = testing::random_vector(problem->dimension(), 4, 0.3);
  problem->check(bytes);
  problem->check(reals);
  EXPECT_EQ(full_sum(*problem, bytes, x, {}), full_sum(*problem, reals, x, {}));
}

TEST(Layers, RefuseTokensOutsideTheVocabulary) {
  const auto problem = layers("['embedding 200 3', 'dense']", {6, 3});
  Dataset data = testing::token_records(7, 6, 3, 200, 1);
  EXPECT_NO_THROW(problem->check(data));
  for (const real wrong :
       {real{200}, real{-1}, real{2.5}, std::numeric_limits<real>::quiet_NaN()}) {
    Dataset bad = data;
    std::get<DenseRows>(bad.rows).value[11] = wrong;
    const std::string text = testing::refusal([&] { problem->check(bad); });
    EXPECT_NE(text.find("whole numbers from 0 to 199"), std::string::npos) << text;
  }
  Dataset bytes = testing::byte_records(7, 6, 3, 1);
  std::get<DenseRows>(bytes.rows).byte[3] = 201;
  EXPECT_NE(testing::refusal([&] { problem->check(bytes); }).find("feature 2"), std::string::npos);
}

// The C library's erfc, and central differences.
TEST(Layers, GeluIsThatOfTheNormalDistribution) {
  const auto expected = [](double z) { return z * 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  for (double z = -45; z < 45; z += 0.037) {
    const real value = static_cast<real>(z);
    const real one = 1;
    real h = 0;
    real slope = 0;
    gelu({&value, 1}, {&h, 1});
    gelu_slopes({&value, 1}, {&one, 1}, {&slope, 1});
    const auto exact = static_cast<double>(value);
    EXPECT_NEAR(h, expected(exact), testing::rounding * std::abs(exact)) << z;
    EXPECT_NEAR(slope, (expected(exact + 1e-5) - expected(exact - 1e-5)) / 2e-5,
                testing::wide ? 1e-9 : 1e-6)
        << z;
  }
}

TEST(Layers, AnActivationMayStandAnywhere) {
  for (const char* list : {"'conv 6 5, relu, maxpool 2, tanh, dense'",
                           "'conv 6 5 2, skip, relu, conv 6 3 1 1, add, dense'",
                           "'relu, conv 6 5, relu, tanh, dense'"})
    EXPECT_NO_THROW(layers(list, {3072, 10})) << list;
}

// Halves of 15 x 15 pixels are 8 x 8: rows and columns 0, 2, ..., 14.
TEST(Layers, AResidualBlockMayHalveAnOddNumberOfPixels) {
  EXPECT_NO_THROW(layers("'conv 2 1, skip, conv 4 3 2 1, add, globalpool, dense'", {225, 3}));
}

// Records in which tokens occur several times: their derivatives add up before they are squared.
TEST(Layers, NormsCountTokensThatOccurAgain) {
  const auto problem = layers("['embedding 2 1', 'dense']", {2, 2});
  Dataset data = testing::token_records(1, 2, 2, 1, 1);  // tokens 0, 0
  data.label = {0};
  // Logits 0: the derivatives are (-1/2, 1/2). Weights 3 and 5 of the positions for class 0, so
  // that the embeddings receive -3/2 and -5/2, which add up to -4; inputs are 0, biases receive
  // -1/2 and 1/2.
  const Vector x{0, 0, 3, 0, 5, 0, 0, 0};
  const auto rows = testing::all_rows(1);
  Batch batch;
  Vector factors(problem->factors());
  std::vector<double> norm(1);
  problem->load(data, rows, batch);
  problem->linearise(batch, x, factors, false);
  problem->norms(batch, factors, norm);
  EXPECT_NEAR(norm[0], std::sqrt(16.5), 1e-6);
}

// The norm of each record against its gradient in full, also where a convolution has few pixels and
// many maps, so that the norm comes from products of pixels, and where these nearly cancel.
TEST(Layers, NormsAreThoseOfTheGradients) {
  const char* const lists[] = {"'conv 16 1, conv 80 3, groupnorm 80, dense'",
                               "'conv 16 1, conv 80 3, tanh, dense'",
                               "'conv 4 3, layernorm, tanh, dense'"};
  for (const char* list : lists)
    for (const real level : {real{0}, real{100}}) {
      SCOPED_TRACE(fmt::format("{}, level {}", list, level));
      const auto problem = layers(list, {16, 3}, "colours = 1");
      Dataset data = testing::dense_records(5, 16, 3, 1);
      auto& values = std::get<DenseRows>(data.rows).value;
      for (real& value : values) value = level + (level > 0 ? real{1e-3F} : real{1}) * value;
      data.prepare();
      const auto start = draw_layers(problem->start_layers(), StartLaw::he,
                                     {1, Purpose::init, 0, 0}, problem->dimension());
      const Vector x(start.begin(), start.end());
      const auto rows = testing::all_rows(5);
      Batch batch;
      Vector factors(5 * problem->factors());
      std::vector<double> norm(5);
      problem->load(data, rows, batch);
      problem->linearise(batch, x, factors, false);
      problem->norms(batch, factors, norm);
      for (std::uint32_t r = 0; r < 5; ++r) {
        const auto gradient = testing::record_gradient(*problem, data, r, x, 1e30);
        const double expected = euclidean_norm(std::span<const double>(gradient));
        // Sums over pixels in float err by their rounding, relative to terms of the size `level`.
        EXPECT_NEAR(norm[r], expected, 1e-4 * expected + 3 * level * testing::rounding) << r;
      }
    }
}

TEST(Layers, RefuseWhatDoesNotFit) {
  const auto refused = [](const std::string& list, std::size_t features = 3072) {
    return testing::refusal([&] { layers(list, {features, 10}); });
  };
  const auto expect_parts = [](const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  };
  expect_parts(refused("['convolution 6']"), {"is not a layer", "conv", "lenet5"});
  expect_parts(refused("['conv 6']"), {"expected \"conv MAPS SIZE [STRIDE [PADDING]]\""});
  expect_parts(refused("['conv 6 x', 'dense']"), {"x is not a whole number"});
  expect_parts(refused("['conv 6 33', 'dense']"), {"layer 1", "32 x 32 pixels of 3 values"});
  expect_parts(refused("['conv 6 5', 'maxpool 40', 'dense']"), {"layer 2", "does not fit"});
  expect_parts(refused("['conv 6 5', 'groupnorm 4', 'dense']"), {"6 channels", "divisor"});
  expect_parts(refused("['dropout', 'dense']"), {"no dropout", "leave it out"});
  expect_parts(refused("['ReLU', 'dense']"), {"did you mean \"relu\""});
  expect_parts(refused("['conv 6 5', 'maxpool 0', 'dense']"), {"layer 2", "at least 1"});
  expect_parts(refused("['conv 6 32', 'groupnorm 6', 'dense']"), {"one value", "fewer groups"});
  expect_parts(refused("['skip', 'conv 3 3 1 1', 'add', 'dense']"), {"starts after a layer"});
  expect_parts(refused("['conv 6 3', 'skip', 'dense 20', 'add', 'dense']"), {"cannot be added"});
  expect_parts(refused("['conv 6 5', 'skip', 'dense']"), {"\"skip\" without \"add\" after it"});
  expect_parts(refused("['conv 6 5', 'add', 'dense']"), {"no \"skip\" before it"});
  expect_parts(refused("['conv 6 5', 'shortcut', 'dense']"), {"layer 2", "no \"skip\" before it"});
  expect_parts(refused("['conv 6 5', 'skip', 'shortcut', 'dense']"), {"no layer between", "skip"});
  expect_parts(refused("['conv 6 5', 'skip', 'relu', 'shortcut', 'add', 'dense']"),
               {"no layer between", "shortcut"});
  expect_parts(refused("['conv 6 5', 'skip', 'relu', 'shortcut', 'skip', 'dense']"),
               {"starts after"});
  expect_parts(refused("['conv 6 5', 'skip', 'relu', 'shortcut', 'tanh', 'shortcut']"),
               {"one before"});
  expect_parts(refused("['conv 6 5', 'skip', 'conv 6 3', 'shortcut', 'tanh', 'add', 'dense']"),
               {"before \"shortcut\" cannot be added"});
  expect_parts(refused("['conv 6 5', 'skip', 'conv 4 5', 'add', 'dense']"), {"cannot be added"});
  expect_parts(refused("['dense 9', 'embedding 9 2', 'dense']"), {"layer 2", "first layer"});
  expect_parts(refused("['embedding 0 2', 'dense']"), {"layer 1", "at least 1"});
  expect_parts(refused("['embedding 9 6', 'attention 4', 'dense']"),
               {"6 channels", "4 equal heads"});
  expect_parts(refused("['dense 12']"), {"gives 12 values", "10 classes", "end with \"dense\""});
  expect_parts(refused("['dense', 'relu']"), {"end with \"dense\""});
  expect_parts(refused("[]"), {"end with \"dense\""});
  expect_parts(refused("'lenet5'", 99), {"square image", "dense"});
}

}  // namespace trilemma::layers_test
