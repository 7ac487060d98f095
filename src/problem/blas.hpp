#pragma once
// Matrix product for both builds of `real`, row-major (OpenBLAS through the CBLAS interface).

#include <cblas.h>

#include <cstdlib>

#include "core/types.hpp"

namespace trilemma {

/// One BLAS thread per rank, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS says otherwise: ranks
/// share the cores already.
inline void pin_blas_threads() {
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr && std::getenv("OMP_NUM_THREADS") == nullptr)
    openblas_set_num_threads(1);
}

/// A row-major matrix view with a row stride.
template <class T>
struct Matrix {
  T* data;
  std::size_t rows, columns, stride;
};

enum class Transpose { no, yes };

namespace detail {
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c,
                 int ldc) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}  // namespace detail

/// c = alpha op(a) op(b) + beta c.
inline void multiply(real alpha, Matrix<const real> a, Transpose ta, Matrix<const real> b,
                     Transpose tb, real beta, Matrix<real> c) {
  const auto inner = ta == Transpose::no ? a.columns : a.rows;
  detail::gemm(ta == Transpose::no ? CblasNoTrans : CblasTrans,
               tb == Transpose::no ? CblasNoTrans : CblasTrans, static_cast<int>(c.rows),
               static_cast<int>(c.columns), static_cast<int>(inner), alpha, a.data,
               static_cast<int>(a.stride), b.data, static_cast<int>(b.stride), beta, c.data,
               static_cast<int>(c.stride));
}

}  // namespace trilemma
