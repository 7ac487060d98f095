#include "problem/kernels/product.hpp"

#include <utility>

#include "numeric/vectors.hpp"
#include "problem/kernels/blas.hpp"

namespace trilemma {
namespace {

Products chosen = Products::fast;

// Whether BLAS computes the products.
bool is_by_blas() { return chosen == Products::fast && has_blas(); }

// Returns the transpose of a, stored in `room` row by row.
ConstMatrixView turned(const ConstMatrixView& a, Vector& room) {
  const auto rows = static_cast<std::size_t>(a.cols());
  const auto columns = static_cast<std::size_t>(a.rows());
  room.resize(rows * columns);
  for (std::size_t c = 0; c < columns; ++c) {
    const real* const from = a.row(static_cast<Eigen::Index>(c)).data();
    for (std::size_t r = 0; r < rows; ++r) room[r * columns + c] = from[r];
  }
  return matrix(std::as_const(room).data(), rows, columns, columns);
}

Vector& scratch() {
  static thread_local Vector room;
  return room;
}

}  // namespace

void choose_products(Products products) { chosen = products; }

void choose_arithmetic(Products products, unsigned vector_bits) {
  choose_products(products);
  if (vector_bits != 0 && vector_bits < vector_target().bits) limit_vectors(vector_bits);
}

void product(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out) {
  if (is_by_blas()) return blas_product({.terms = a.cols()}, a, b, out);
  portable_product(1, a, b, Onto::nothing, out);
}

void product_with_transpose(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out) {
  if (is_by_blas()) return blas_product({.turns_b = true, .terms = a.cols()}, a, b, out);
  portable_product(1, a, turned(b, scratch()), Onto::nothing, out);
}

void add_transpose_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b,
                           MatrixView out) {
  if (is_by_blas())
    return blas_product({.turns_a = true, .terms = a.rows(), .weight = weight, .kept = 1}, a, b,
                        out);
  portable_product(weight, turned(a, scratch()), b, Onto::result, out);
}

}  // namespace trilemma
