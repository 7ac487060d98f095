// Convolutions with pooling (src/problem/cnn.cpp, convolution.cpp), by hand.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "problem/kernels/convolution.hpp"
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

// The plain twins: sums over all places, in the order in which they lie, in double precision.
struct Plain {
  Convolution c;

  double pixel(const Vector& image, std::size_t i, std::size_t j, std::size_t t) const {
    const std::size_t row = i + t / c.run();
    const std::size_t column = j + t % c.run() / c.inputs;
    if (row < c.padding || column < c.padding) return 0;
    if (row - c.padding >= c.height || column - c.padding >= c.width) return 0;
    return image[((row - c.padding) * c.width + column - c.padding) * c.inputs + t % c.inputs];
  }
  // Calls visit(number of the pixel of the maps, weight's row, value under the kernel).
  template <class Visit>
  void each(const Vector& image, Visit&& visit) const {
    for (std::size_t i = 0; i < c.out_height(); ++i)
      for (std::size_t j = 0; j < c.out_width(); ++j)
        for (std::size_t t = 0; t < c.patch_size(); ++t)
          visit(i * c.out_width() + j, t, pixel(image, i, j, t));
  }
  std::vector<double> maps(const Vector& image, const Vector& w, const Vector& bias) const {
    std::vector<double> out(c.patches() * c.outputs);
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = bias[v % c.outputs];
    each(image, [&](std::size_t p, std::size_t t, double value) {
      for (std::size_t o = 0; o < c.outputs; ++o)
        out[p * c.outputs + o] += value * w[t * c.outputs + o];
    });
    return out;
  }
  std::vector<double> gradient(const Vector& image, const Vector& errors) const {
    std::vector<double> out(c.weights() + c.outputs);
    for (std::size_t v = 0; v < errors.size(); ++v) out[c.weights() + v % c.outputs] += errors[v];
    each(image, [&](std::size_t p, std::size_t t, double value) {
      for (std::size_t o = 0; o < c.outputs; ++o)
        out[t * c.outputs + o] += value * errors[p * c.outputs + o];
    });
    return out;
  }
};

const Convolution shapes[] = {{28, 28, 1, 3, 1, 16},  {16, 16, 16, 3, 1, 32}, {32, 32, 3, 3, 1, 16},
                              {14, 14, 32, 5, 0, 64}, {3, 3, 1, 2, 0, 1},     {5, 7, 2, 3, 2, 19},
                              {2, 2, 1, 3, 1, 5},     {6, 6, 3, 1, 0, 70},    {28, 28, 1, 5, 0, 32},
                              {9, 9, 1, 7, 0, 70},    {8, 9, 3, 5, 1, 65},    {32, 32, 3, 5, 0, 6},
                              {14, 14, 6, 5, 0, 16},  {12, 11, 2, 3, 0, 7},   {40, 19, 1, 4, 1, 1}};

Vector drawn(std::size_t count, unsigned seed, bool half_zero = false) {
  std::mt19937 engine(seed);
  std::normal_distribution<real> normal;
  Vector values(count);
  for (real& value : values) {
    value = normal(engine);
    if (half_zero && engine() % 2 != 0) value = 0;
  }
  return values;
}

// Errors that come back through the pooling, half of them 0, and the same by the maps.
struct Drawn {
  Vector errors, places, maps;
  PooledErrors pooled() const { return {errors, places}; }
};
Drawn drawn_errors(const Convolution& c, unsigned seed) {
  Drawn back{drawn(c.pooled() * c.outputs, seed, true), {}, Vector(c.patches() * c.outputs)};
  std::mt19937 engine(seed);
  for (std::size_t v = 0; v < back.errors.size(); ++v) {
    const std::size_t cell = v / c.outputs;
    const unsigned place = engine() % 4;
    back.places.push_back(static_cast<real>(place));
    const std::size_t row = 2 * (cell / c.pooled_width()) + place / 2;
    const std::size_t column = 2 * (cell % c.pooled_width()) + place % 2;
    back.maps[(row * c.out_width() + column) * c.outputs + v % c.outputs] = back.errors[v];
  }
  return back;
}

void expect_near(const Vector& found, const std::vector<double>& expected, double scale) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v)
    ASSERT_NEAR(found[v], expected[v], 1e-6 * scale) << v;
}

// 3 x 3 pixels, kernel 2, two maps: the sum under the kernel, and its first value less its last.
TEST(Convolution, MapsByHand) {
  const Convolution c{3, 3, 1, 2, 0, 2};
  const Vector w{1, 1, 1, 0, 1, 0, 1, -1};
  Vector framed;
  frame(c, Vector{1, 2, 3, 4, 5, 6, 7, 8, 9}, framed);
  Vector maps(8);
  convolve(c, framed, matrix(w.data(), 4, 2, 2), Vector{0, 100}, maps);
  EXPECT_EQ(maps, (Vector{12, 96, 16, 96, 24, 96, 28, 96}));
}

TEST(Convolution, AgreesWithThePlainOne) {
  for (const Convolution& c : shapes) {
    SCOPED_TRACE(fmt::format("{}x{}x{}, {} maps", c.height, c.width, c.inputs, c.outputs));
    const Plain plain{c};
    const Vector image = drawn(c.height * c.width * c.inputs, 1);
    const Vector w = drawn(c.weights(), 2);
    const Vector bias = drawn(c.outputs, 3);
    const Drawn back = drawn_errors(c, 4);
    const auto view = matrix(w.data(), c.patch_size(), c.outputs, c.outputs);
    Vector framed;
    frame(c, image, framed);
    Vector maps(c.patches() * c.outputs);
    convolve(c, framed, view, bias, maps);
    expect_near(maps, plain.maps(image, w, bias), static_cast<double>(c.patch_size()));

    ConvolutionGradient sum;
    sum.clear(c);
    sum.add(c, framed, back.pooled());
    Vector gradient(c.weights() + c.outputs, real{1});
    sum.add_to(c, 2, gradient);
    std::vector<double> expected = plain.gradient(image, back.maps);
    for (double& one : expected) one = 1 + 2 * one;
    expect_near(gradient, expected, static_cast<double>(c.patches()));
  }
}

// <convolve(a), e> = <a, transpose(e)> for all images a and errors e.
TEST(Convolution, TheTransposeIsTheTranspose) {
  for (const Convolution& c : shapes) {
    SCOPED_TRACE(fmt::format("{}x{}x{}, {} maps", c.height, c.width, c.inputs, c.outputs));
    const Vector w = drawn(c.weights(), 2);
    const Drawn drawn_back = drawn_errors(c, 4);
    const Vector& errors = drawn_back.maps;
    ConvolutionTranspose transpose;
    transpose.set_weights(c, matrix(w.data(), c.patch_size(), c.outputs, c.outputs));
    Vector back(c.height * c.width * c.inputs, real{7});
    transpose(c, drawn_back.pooled(), back);
    for (unsigned seed = 10; seed < 13; ++seed) {
      const Vector image = drawn(back.size(), seed);
      const auto maps = Plain{c}.maps(image, w, Vector(c.outputs));
      const double forth = std::inner_product(maps.begin(), maps.end(), errors.begin(), 0.0);
      EXPECT_NEAR(std::inner_product(image.begin(), image.end(), back.begin(), 0.0), forth,
                  1e-4 * std::sqrt(static_cast<double>(maps.size() * c.patch_size())));
    }
  }
}

// 3 x 5 maps of one channel: two cells, the last row and column are dropped.
TEST(Convolution, PoolingByHand) {
  const Convolution c{3, 5, 1, 1, 0, 1};
  const Vector maps{1, 3, -1, -2, 9, 3, 2, -4, -1, 9, 9, 9, 9, 9, 9};
  Vector pooled(2);
  Vector places(2);
  pool(c, maps, pooled, places);
  EXPECT_EQ(pooled, (Vector{3, 0}));
  EXPECT_EQ(places, (Vector{1, 0}));
  Vector errors(2);
  pass_positive(pooled, Vector{5, 6}, errors);
  EXPECT_EQ(errors, (Vector{5, 0}));
}

// Compared with a plain search: the first of the largest values of a cell.
TEST(Convolution, PoolingAgreesWithAPlainSearch) {
  const Convolution c{7, 9, 1, 1, 0, 21};
  Vector maps = drawn(c.patches() * c.outputs, 5);
  for (real& value : maps) value = std::round(2 * value);  // so that many are equal
  Vector largest(c.pooled() * c.outputs);
  Vector first(largest.size());
  for (std::size_t v = 0; v < largest.size(); ++v) {
    const std::size_t o = v % c.outputs;
    const std::size_t i = v / c.outputs / c.pooled_width();
    const std::size_t j = v / c.outputs % c.pooled_width();
    auto value = [&](std::size_t place) {
      return maps[((2 * i + place / 2) * c.width + 2 * j + place % 2) * c.outputs + o];
    };
    std::size_t best = 0;
    for (std::size_t place = 1; place < 4; ++place)
      if (value(place) > value(best)) best = place;
    largest[v] = std::max(real{0}, value(best));
    first[v] = static_cast<real>(best);
  }
  Vector pooled(largest.size());
  Vector places(largest.size());
  pool(c, maps, pooled, places);
  EXPECT_EQ(pooled, largest);
  EXPECT_EQ(places, first);
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
  testing::expect_parts(refused(780, ""), {"colours", "780", "square", "1 or 3 planes"});
  testing::expect_parts(refused(784, "colours = 3"), {"colours", "784", "with 3 planes"});
  testing::expect_parts(refused(64, "kernel = 5"), {"channels", "layer 2", "kernel"});
  testing::expect_parts(refused(784, "channels = []"), {"channels", "softmax"});
}

}  // namespace trilemma::cnn_test
