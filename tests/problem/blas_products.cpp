// Products by a BLAS library that is not the one of the build, or without one: compiled with one of
// the files src/problem/kernels/blas_*.cpp, whatever TRILEMMA_BLAS is.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "problem/kernels/blas.hpp"
#include "problem/kernels/product.hpp"

namespace trilemma::blas_products {
namespace {

// Rows and columns of a matrix, and values between its rows that belong to no matrix.
struct Shape {
  int rows, columns, gap;
  int row() const { return columns + gap; }
  std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(row()) + 1;
  }
};

// Multiples of 1/8 between -1 and 1, so that sums of products are exact.
Vector eighths(Shape shape, int seed) {
  Vector values(shape.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<real>((static_cast<int>(i) * 7 + seed * 5) % 17 - 8) / 8;
  return values;
}

struct Matrix {
  Matrix(Shape s, int seed) : shape(s), values(eighths(s, seed)) {}
  real at(int row, int column) const {
    return values[static_cast<std::size_t>(row * shape.row() + column)];
  }
  ConstMatrixView view() const {
    return {values.data(), shape.rows, shape.columns, Eigen::OuterStride<>(shape.row())};
  }
  MatrixView room() {
    return {values.data(), shape.rows, shape.columns, Eigen::OuterStride<>(shape.row())};
  }
  Shape shape;
  Vector values;
};

// Expects out = sum over l of term(i, j, l) + kept before, and the same values as before in gaps.
template <class Term>
void expect_sums(const Matrix& out, const Matrix& before, int terms, real kept, Term term) {
  for (int i = 0; i < out.shape.rows; ++i)
    for (int j = 0; j < out.shape.row(); ++j) {
      real sum = j < out.shape.columns ? kept * before.at(i, j) : before.at(i, j);
      for (int l = 0; j < out.shape.columns && l < terms; ++l) sum += term(i, j, l);
      ASSERT_EQ(out.at(i, j), sum) << i << " " << j;
    }
}

void expect_products(int m, int n, int k, int gap) {
  SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k) + " " +
               std::to_string(gap));
  const Matrix a({m, k, gap}, 1), b({k, n, gap}, 2), turned_a({k, m, gap}, 3),
      turned_b({n, k, gap}, 4);
  const Matrix before({m, n, gap}, 5);
  Matrix out = before;
  product(a.view(), b.view(), out.room());
  expect_sums(out, before, k, 0, [&](int i, int j, int l) { return a.at(i, l) * b.at(l, j); });
  out = before;
  product_with_transpose(a.view(), turned_b.view(), out.room());
  expect_sums(out, before, k, 0,
              [&](int i, int j, int l) { return a.at(i, l) * turned_b.at(j, l); });
  out = before;
  add_transpose_product(real{0.5}, turned_a.view(), b.view(), out.room());
  expect_sums(out, before, k, 1,
              [&](int i, int j, int l) { return real{0.5} * turned_a.at(l, i) * b.at(l, j); });
}

TEST(BlasProducts, AreExactWhereSumsAre) {
  pin_blas_threads();
  choose_products(Products::fast);
  for (const int m : {0, 1, 3, 17})
    for (const int n : {0, 1, 5, 10})
      for (const int k : {0, 1, 4, 33})
        for (const int gap : {0, 3}) expect_products(m, n, k, gap);
}

TEST(BlasProducts, LibraryIsTheExpectedOne) {
  const std::string expected = TRILEMMA_EXPECTED_BLAS;
  EXPECT_EQ(has_blas(), expected != "no BLAS");
  EXPECT_EQ(blas_in_use(), expected);
}

}  // namespace
}  // namespace trilemma::blas_products
