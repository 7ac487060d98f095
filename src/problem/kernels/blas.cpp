#include "problem/kernels/blas.hpp"

#include <cblas.h>

#include <cstdlib>

// Ends the threads of OpenBLAS's pool; builds of it without threads have no such function.
extern "C" int blas_thread_shutdown_() __attribute__((weak));

namespace trilemma {

void pin_blas_threads() {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr)
    return;
  openblas_set_num_threads(1);
  // The library has started a thread per core by now, and each of them takes its core for a tenth
  // of a second, waiting for work.
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
}

std::string blas_core() { return openblas_get_corename(); }

}  // namespace trilemma
