#include "problem/kernels/blas.hpp"

#include <cblas.h>

#include <cstdlib>

// Ends the threads of OpenBLAS's pool; builds without threads lack this function.
extern "C" int blas_thread_shutdown_() __attribute__((weak));

namespace trilemma {
namespace {

int whole(Eigen::Index index) { return static_cast<int>(index); }

CBLAS_TRANSPOSE operation(bool turns) { return turns ? CblasTrans : CblasNoTrans; }

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

}  // namespace

bool has_blas() { return true; }

void blas_product(const BlasProduct& what, const ConstMatrixView& a, const ConstMatrixView& b,
                  MatrixView out) {
  if (out.size() == 0) return;
  Blas<real>::gemm(CblasRowMajor, operation(what.turns_a), operation(what.turns_b),
                   whole(out.rows()), whole(out.cols()), whole(what.terms), what.weight, a.data(),
                   whole(a.outerStride()), b.data(), whole(b.outerStride()), what.kept, out.data(),
                   whole(out.outerStride()));
}

void pin_blas_threads() {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr)
    return;
  openblas_set_num_threads(1);
  // The library has already started a thread per core, and each occupies its core for a tenth of a
  // second while waiting for work.
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
}

std::string blas_in_use() { return std::string("OpenBLAS ") + openblas_get_corename(); }

double blas_threads() { return openblas_get_num_threads(); }

}  // namespace trilemma
