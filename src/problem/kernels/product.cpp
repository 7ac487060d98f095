#include "problem/kernels/product.hpp"

#include <cblas.h>

#include <cstdlib>

#include "numeric/vectors.hpp"
#include "problem/kernels/portable_product.hpp"

// Ends the threads of OpenBLAS's pool; builds without threads lack this function.
extern "C" int blas_thread_shutdown_() __attribute__((weak));

namespace trilemma {
namespace {

Products chosen = Products::fast;

int whole(Eigen::Index index) { return static_cast<int>(index); }

template <class T>
struct Blas;
template <>
struct Blas<float> {
  static constexpr auto gemm = cblas_sgemm;
};
template <>
struct Blas<double> {
  static constexpr auto gemm = cblas_dgemm;
};

// Sets out = weight op(a) op(b) + kept out for m x n values and sums of k terms.
struct Gemm {
  CBLAS_TRANSPOSE of_a, of_b;
  int m, n, k;
  real weight, kept;

  void operator()(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out) const {
    if (m == 0 || n == 0) return;
    Blas<real>::gemm(CblasRowMajor, of_a, of_b, m, n, k, weight, a.data(), whole(a.outerStride()),
                     b.data(), whole(b.outerStride()), kept, out.data(), whole(out.outerStride()));
  }
};

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
  if (chosen == Products::portable) return portable_product(1, a, b, Onto::nothing, out);
  Gemm{CblasNoTrans, CblasNoTrans, whole(out.rows()), whole(out.cols()), whole(a.cols()), 1, 0}(
      a, b, out);
}

void product_with_transpose(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out) {
  if (chosen == Products::portable)
    return portable_product(1, a, turned(b, scratch()), Onto::nothing, out);
  Gemm{CblasNoTrans, CblasTrans, whole(out.rows()), whole(out.cols()), whole(a.cols()), 1, 0}(a, b,
                                                                                              out);
}

void add_transpose_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b,
                           MatrixView out) {
  if (chosen == Products::portable)
    return portable_product(weight, turned(a, scratch()), b, Onto::result, out);
  Gemm{CblasTrans, CblasNoTrans, whole(out.rows()), whole(out.cols()), whole(a.rows()), weight, 1}(
      a, b, out);
}

void pin_blas_threads() {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr)
    return;
  openblas_set_num_threads(1);
  // The library has already started a thread per core, and each occupies its core for a tenth of a
  // second while waiting for work.
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
}

std::string blas_core() { return openblas_get_corename(); }

}  // namespace trilemma
