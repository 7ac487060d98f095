// More kernels with registers of every width, as in vectors_test.cpp: their bits.

#include <gtest/gtest.h>

#include <functional>

#include "numeric/draws.hpp"
#include "numeric/elementwise.hpp"
#include "numeric/lanes.hpp"
#include "numeric/vectors.hpp"
#include "problem/cross_entropy.hpp"
#include "problem/kernels/elementwise.hpp"
#include "problem/kernels/span_product.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::kernel_widths_test {

class KernelWidths : public ::testing::Test {
 protected:
  ~KernelWidths() override { limit_vectors(before_); }

  // The same bits with every width from `least` on that this processor has.
  static void expect_equal(unsigned least, const std::function<std::vector<double>()>& compute) {
    limit_vectors(0);
    const unsigned widest = vector_target().bits;
    if (widest < least) GTEST_SKIP() << "this processor has no registers of " << least << " bits";
    const std::vector<double> expected = compute();
    for (unsigned bits = least; bits < widest; bits *= 2) {
      limit_vectors(bits);
      EXPECT_EQ(compute(), expected) << bits;
    }
  }
  const unsigned before_ = vector_target().bits;
};

TEST_F(KernelWidths, Subsets) {
  expect_equal(128, [] {
    std::vector<std::uint32_t> at;
    SubsetDraw()({3, Purpose::mask, 1, 2}, 3U << 22U, 1000, at);
    return std::vector<double>(at.begin(), at.end());
  });
}

TEST_F(KernelWidths, NumbersFromBytes) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 300; ++i) bytes.push_back(static_cast<std::uint8_t>(i));
  expect_equal(128, [&] {
    Vector out(bytes.size());
    from_bytes(bytes, real{0.0123}, real{-0.424}, out);
    return std::vector<double>(out.begin(), out.end());
  });
}

// Squares of doubles are rounded, so that a fused multiply-add is another number.
TEST_F(KernelWidths, SquaresOfRows) {
  const Vector values = testing::random_vector(7 * 70, 3);
  expect_equal(256, [&] {
    std::vector<double> out(7);
    squares_of_rows(values.data(), 70, 67, out);
    return out;
  });
}

TEST_F(KernelWidths, GaussianErrorLinearUnits) {
  const Vector z = testing::random_vector(1000, 7, 3);
  expect_equal(128, [&] {
    Vector found(2 * z.size());
    gelu(z, View(found).first(z.size()));
    gelu_slopes(z, z, View(found).last(z.size()));
    return std::vector<double>(found.begin(), found.end());
  });
}

TEST_F(KernelWidths, StepsInTheSpan) {
  constexpr std::size_t records = 20;
  constexpr std::size_t width = 24;
  constexpr std::size_t outputs = 2 * span_group;
  const Vector products = testing::random_vector(records * width, 4);
  const Vector sum = testing::random_vector(outputs * width, 5);
  expect_equal(256, [&] {
    Vector z = testing::random_vector(outputs * width, 6);
    subtract_products(products.data(), records, width, sum.data(), outputs, real{0.3}, z.data());
    softmax_columns(z, width, outputs - 1);
    return std::vector<double>(z.begin(), z.end());
  });
}

}  // namespace trilemma::kernel_widths_test
