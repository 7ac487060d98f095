#include <algorithm>
#include <cstdlib>
#include <limits>

#include "problem/kernels/blas.hpp"

// Fortran's interface, which every library has; matrices are stored column by column there, and
// integers have 32 bits.
extern "C" {
void sgemm_(const char* of_a, const char* of_b, const int* m, const int* n, const int* k,
            const float* weight, const float* a, const int* row_of_a, const float* b,
            const int* row_of_b, const float* kept, float* out, const int* row_of_out);
void dgemm_(const char* of_a, const char* of_b, const int* m, const int* n, const int* k,
            const double* weight, const double* a, const int* row_of_a, const double* b,
            const int* row_of_b, const double* kept, double* out, const int* row_of_out);

// Of some libraries: the number of threads.
void openblas_set_num_threads(int threads) __attribute__((weak));
void bli_thread_set_num_threads(long threads) __attribute__((weak));
void MKL_Set_Num_Threads(int threads) __attribute__((weak));
void flexiblas_set_num_threads(int threads) __attribute__((weak));
void armpl_set_num_threads(int threads) __attribute__((weak));
void nvpl_blas_set_num_threads(int threads) __attribute__((weak));
}

namespace trilemma {
namespace {

int whole(Eigen::Index index) { return static_cast<int>(index); }

// Values from a row to the next; libraries refuse 0, which a matrix without columns has.
template <class Matrix>
int stride_of(const Matrix& matrix) {
  return std::max(1, whole(matrix.outerStride()));
}

template <class T>
struct Blas;
template <>
struct Blas<float> {
  static constexpr auto gemm = sgemm_;
};
template <>
struct Blas<double> {
  static constexpr auto gemm = dgemm_;
};

}  // namespace

bool has_blas() { return true; }

// A matrix stored row by row is its transpose stored column by column, so that BLAS computes
// out^T = op(b)^T op(a)^T.
void blas_product(const BlasProduct& what, const ConstMatrixView& a, const ConstMatrixView& b,
                  MatrixView out) {
  if (out.size() == 0) return;
  const char of_a = what.turns_a ? 'T' : 'N';
  const char of_b = what.turns_b ? 'T' : 'N';
  const int m = whole(out.cols());
  const int n = whole(out.rows());
  const int k = whole(what.terms);
  const int row_of_a = stride_of(a);
  const int row_of_b = stride_of(b);
  const int row_of_out = stride_of(out);
  Blas<real>::gemm(&of_b, &of_a, &m, &n, &k, &what.weight, b.data(), &row_of_b, a.data(), &row_of_a,
                   &what.kept, out.data(), &row_of_out);
}

void pin_blas_threads() {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr)
    return;
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  if (bli_thread_set_num_threads != nullptr) bli_thread_set_num_threads(1);
  if (MKL_Set_Num_Threads != nullptr) MKL_Set_Num_Threads(1);
  if (flexiblas_set_num_threads != nullptr) flexiblas_set_num_threads(1);
  if (armpl_set_num_threads != nullptr) armpl_set_num_threads(1);
  if (nvpl_blas_set_num_threads != nullptr) nvpl_blas_set_num_threads(1);
}

std::string blas_in_use() { return "other BLAS"; }

double blas_threads() { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace trilemma
