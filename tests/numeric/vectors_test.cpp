// Kernels with registers of every width (src/numeric/vectors.hpp): the limit holds, and what is
// said to be the same on all processors is the same.

#include "numeric/vectors.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "base/check.hpp"
#include "numeric/elementwise.hpp"
#include "numeric/exact_sum.hpp"
#include "numeric/lanes.hpp"
#include "numeric/random.hpp"
#include "problem/kernels/bit_rows.hpp"
#include "problem/kernels/convolution.hpp"
#include "problem/kernels/image_columns.hpp"
#include "problem/kernels/image_layer.hpp"
#include "problem/kernels/product.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::vectors_test {
namespace {

// Restores what was there before.
class Vectors : public ::testing::Test {
 protected:
  ~Vectors() override {
    choose_products(Products::fast);
    limit_vectors(before_);
  }
  const unsigned before_ = vector_target().bits;
};

std::vector<double> normal(std::size_t count) {
  std::vector<double> numbers(count);
  normals({3, Purpose::noise, 1, 2}, 5, numbers);
  return numbers;
}

Vector reals(std::size_t count, std::uint32_t client) {
  std::vector<double> numbers(count);
  normals({4, Purpose::data, client, 0}, 0, numbers);
  return {numbers.begin(), numbers.end()};
}

// What each width up to that of this processor gives, from 256 bits on: with a fused multiply-add.
std::vector<std::vector<double>> of_widths(const std::function<std::vector<double>()>& compute,
                                           unsigned least) {
  std::vector<std::vector<double>> found;
  limit_vectors(0);
  const unsigned widest = vector_target().bits;
  for (unsigned bits = least; bits <= widest; bits *= 2) {
    limit_vectors(bits);
    EXPECT_EQ(vector_target().bits, bits);
    found.push_back(compute());
  }
  return found;
}

void expect_equal(const std::function<std::vector<double>()>& compute, unsigned least = 128) {
  const auto found = of_widths(compute, least);
  if (found.empty()) GTEST_SKIP() << "this processor has no registers of " << least << " bits";
  for (const auto& one : found) EXPECT_EQ(one, found.front());
}

TEST_F(Vectors, LimitHoldsAndIsTakenBack) {
  limit_vectors(0);
  const VectorTarget widest = vector_target();
  EXPECT_GE(widest.bits, 128U);
  limit_vectors(128);
  EXPECT_EQ(vector_target().bits, 128U);
  // Kernels of other widths do not come back when somebody asks.
  const std::vector<double> numbers = normal(100);
  EXPECT_EQ(vector_target().bits, 128U);
  EXPECT_EQ(normal(100), numbers);
  limit_vectors(0);
  EXPECT_EQ(vector_target().name, widest.name);
  EXPECT_EQ(vector_target().bits, widest.bits);
}

TEST_F(Vectors, EnvironmentNamesAWidth) {
  const char* const given = std::getenv("TRILEMMA_VECTOR_BITS");
  const std::string kept = given == nullptr ? "" : given;
  setenv("TRILEMMA_VECTOR_BITS", "128", 1);
  limit_vectors_by_environment();
  EXPECT_EQ(vector_target().bits, 128U);
  setenv("TRILEMMA_VECTOR_BITS", "64", 1);
  EXPECT_THROW(limit_vectors_by_environment(), UserError);
  if (given == nullptr)
    unsetenv("TRILEMMA_VECTOR_BITS");
  else
    setenv("TRILEMMA_VECTOR_BITS", kept.c_str(), 1);
}

TEST_F(Vectors, RandomNumbersAreTheSame) {
  expect_equal([] { return normal(1000); });
  expect_equal([] {
    std::vector<std::uint32_t> at;
    for (std::uint32_t j = 0; j < 300; ++j) at.push_back(7 * j);
    std::vector<double> numbers(at.size());
    normals_at({3, Purpose::noise, 1, 2}, at, numbers);
    return numbers;
  });
  expect_equal([] {
    std::vector<std::uint32_t> words(1001);
    random_words({1, Purpose::mask, 2, 3}, 4, words);
    return std::vector<double>(words.begin(), words.end());
  });
}

TEST_F(Vectors, NoiseAndSumsAreTheSame) {
  const Vector u = reals(999, 1);
  const std::vector<double> numbers = normal(u.size());
  expect_equal([&] {
    Vector out(u.size());
    add_noise(0.3, numbers, u, out);
    return std::vector<double>(out.begin(), out.end());
  });
  expect_equal([&] {
    ExactSum sum(u.size(), true);
    sum.begin(2, 8);
    const auto most = sum.add(0, Support::all(), u);
    sum.add(0, Support::all(), u);
    const auto total = sum.finish();
    std::vector<double> all(total.begin(), total.end());
    all.push_back(static_cast<double>(most));
    return all;
  });
  expect_equal(
      [] {
        const Dataset images = testing::byte_records(50, 70, 3, 5, 0.2);
        const Vector e = reals(50 * 8, 3);
        const std::vector<std::uint32_t> at{0, 5, 6, 7, 100, 239, 559};
        ImageColumns scratch;
        Vector sum(560);
        image_transpose_product_at(std::get<DenseRows>(images.rows), testing::all_rows(50), 0.3F,
                                   matrix(e.data(), 50, 8, 8), at, scratch, sum);
        return std::vector<double>(sum.begin(), sum.end());
      },
      256);
  // Squares of doubles are rounded, so that a fused multiply-add is another number.
  expect_equal([&] { return std::vector{norm_squared<double>(numbers), dot(u, u)}; }, 256);
}

// Images with a shift, by matrices whose columns fill vectors of some widths and not of others.
TEST_F(Vectors, OfAllWidthsMultiplyImagesAlike) {
  Dataset images = testing::byte_records(50, 30, 3, 5, 0.2);
  DenseRows& rows = std::get<DenseRows>(images.rows);
  rows.scale = 0.0127;
  rows.shift = -0.424;
  for (const std::size_t width : {1, 7, 8, 10, 12, 24, 40, 61, 63, 64, 70, 76}) {
    const Vector w = reals(30 * width, 3);
    const Vector e = reals(50 * width, 4);
    const auto products = [&](unsigned bits) {
      limit_vectors(bits);
      Vector out(50 * width);
      Vector sum(30 * width, real{0.25});
      image_product(rows, testing::all_rows(50), matrix(w.data(), 30, width, width),
                    matrix(out.data(), 50, width, width));
      image_transpose_product(rows, testing::all_rows(50), 0.3F, matrix(e.data(), 50, width, width),
                              matrix(sum.data(), 30, width, width));
      out.insert(out.end(), sum.begin(), sum.end());
      return out;
    };
    EXPECT_EQ(products(256), products(512)) << width;
  }
}

// The same of convolutions, and sums over rows of bits.
TEST_F(Vectors, OfAllWidthsFoldImagesAlike) {
  for (const Convolution& c : {Convolution{28, 28, 1, 5, 0, 32}, Convolution{9, 9, 1, 7, 0, 70},
                               Convolution{8, 9, 3, 5, 1, 65}, Convolution{16, 16, 16, 3, 1, 32},
                               Convolution{32, 32, 3, 5, 0, 6}, Convolution{14, 14, 6, 5, 0, 16}}) {
    const Vector image = reals(c.height * c.width * c.inputs, 5);
    const Vector w = reals(c.weights(), 6);
    const Vector bias = reals(c.outputs, 7);
    const auto passes = [&](unsigned bits) {
      limit_vectors(bits);
      Vector framed;
      frame(c, image, framed);
      Vector maps(c.patches() * c.outputs);
      Vector pooled(c.pooled() * c.outputs);
      Vector places(pooled.size());
      Vector errors(pooled.size());
      const auto view = matrix(w.data(), c.patch_size(), c.outputs, c.outputs);
      convolve(c, framed, view, bias, maps);
      pool(c, maps, pooled, places);
      pass_positive(pooled, pooled, errors);
      Vector out(c.weights() + c.outputs);
      ConvolutionGradient sum;
      sum.clear(c);
      sum.add(c, framed, {errors, places});
      sum.add_to(c, 0.3F, out);
      Vector back(image.size());
      ConvolutionTranspose transpose;
      transpose.set_weights(c, view);
      transpose(c, {errors, places}, back);
      out.insert(out.end(), back.begin(), back.end());
      return out;
    };
    EXPECT_EQ(passes(256), passes(512)) << c.kernel;
  }
}

TEST_F(Vectors, OfAllWidthsAddRowsOfBitsAlike) {
  SparseRows rows;
  rows.columns = 150;
  for (std::uint32_t r = 0; r < 40; ++r) {
    for (std::uint32_t j = r % 3; j < 150; j += 3 + r % 5) rows.column.push_back(j);
    rows.start.push_back(rows.column.size());
  }
  rows.value.assign(rows.column.size(), real{0.5});
  rows.group_columns();
  ASSERT_FALSE(rows.groups.bits.empty());
  const auto all = testing::all_rows(40);
  const Vector number = reals(40, 8);
  const Vector by_column = reals(bit_room(rows.groups), 9);
  const auto sums = [&](unsigned bits) {
    limit_vectors(bits);
    std::vector<double> out(40);
    bit_row_dots(rows.groups, all, by_column, out.data());
    Vector sum = by_column;
    add_bit_rows(rows.groups, all, number, sum);
    add_bit_rows_at(rows.groups, all, number, std::vector<std::uint32_t>{0, 5, 99, 149}, sum);
    out.insert(out.end(), sum.begin(), sum.end());
    return out;
  };
  EXPECT_EQ(sums(256), sums(512));
  EXPECT_EQ(sums(128), sums(512));  // additions alone
}

using MatrixProduct = std::function<void(MatrixView)>;

// Products of matrices of odd sizes: by OpenBLAS within rounding, by our kernels to the bit.
TEST_F(Vectors, PortableProductsAreTheSame) {
  constexpr std::size_t m = 7;
  constexpr std::size_t n = 45;
  constexpr std::size_t k = 31;
  const Vector a = reals(m * k, 2);
  const Vector b = reals(k * n, 3);
  const Vector turned_a = reals(k * m, 4);
  const Vector turned_b = reals(n * k, 5);
  const std::vector<std::pair<const char*, MatrixProduct>> products{
      {"a b",
       [&](MatrixView out) { product(matrix(a.data(), m, k, k), matrix(b.data(), k, n, n), out); }},
      {"a b^T",
       [&](MatrixView out) {
         product_with_transpose(matrix(a.data(), m, k, k), matrix(turned_b.data(), n, k, k), out);
       }},
      {"a^T b", [&](MatrixView out) {
         add_transpose_product(real{0.5}, matrix(turned_a.data(), k, m, m),
                               matrix(b.data(), k, n, n), out);
       }}};
  for (const auto& [name, multiply] : products) {
    SCOPED_TRACE(name);
    const auto compute = [&] {
      Vector out(m * n, real{0.25});
      multiply(matrix(out.data(), m, n, n));
      return std::vector<double>(out.begin(), out.end());
    };
    choose_products(Products::fast);
    const auto by_blas = compute();
    choose_products(Products::portable);
    const auto narrow = of_widths(compute, 128);
    for (std::size_t i = 0; i < by_blas.size(); ++i)
      EXPECT_NEAR(narrow.front()[i], by_blas[i], 1e-4);
    expect_equal(compute, 256);
  }
}

}  // namespace
}  // namespace trilemma::vectors_test
