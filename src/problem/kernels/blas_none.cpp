#include <limits>

#include "base/check.hpp"
#include "problem/kernels/blas.hpp"

namespace trilemma {

bool has_blas() { return false; }

void blas_product(const BlasProduct& /*what*/, const ConstMatrixView& /*a*/,
                  const ConstMatrixView& /*b*/, MatrixView /*out*/) {
  expect(false, "a product by BLAS in a build without BLAS");
}

void pin_blas_threads() {}

std::string blas_in_use() { return "no BLAS"; }

double blas_threads() { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace trilemma
