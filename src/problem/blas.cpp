#include "problem/blas.hpp"

#include <cblas.h>

#include <cstdlib>

namespace trilemma {

void pin_blas_threads() {
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr && std::getenv("OMP_NUM_THREADS") == nullptr)
    openblas_set_num_threads(1);
}

std::string blas_core() { return openblas_get_corename(); }

}  // namespace trilemma
