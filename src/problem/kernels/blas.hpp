#pragma once
// Matrix products by the BLAS library of the build. One of the files blas_*.cpp is compiled, that
// of TRILEMMA_BLAS: openblas, generic (any library with Fortran's interface) or none.

#include <string>

#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// What blas_product() computes: out = weight op(a) op(b) + kept out, with op(a) = a or a^T.
struct BlasProduct {
  bool turns_a = false;    ///< op(a) is a^T
  bool turns_b = false;    ///< op(b) is b^T
  Eigen::Index terms = 0;  ///< columns of op(a)
  real weight = 1;
  real kept = 0;
};

/// Returns whether the build has a BLAS library.
bool has_blas();

/// Computes `what`. All matrices are stored row by row; `out` must not overlap a or b. Only if
/// has_blas().
void blas_product(const BlasProduct& what, const ConstMatrixView& a, const ConstMatrixView& b,
                  MatrixView out);

/// Limits BLAS to one thread per rank, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS is set: ranks
/// already share the cores.
void pin_blas_threads();

/// Returns the library and, if it has a name for them, its kernels: "OpenBLAS Zen".
std::string blas_in_use();
/// Returns the number of threads with which the library computes; NaN if it does not tell, or if
/// the build has none.
double blas_threads();

}  // namespace trilemma
