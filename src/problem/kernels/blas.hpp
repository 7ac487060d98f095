#pragma once

#include <string>

namespace trilemma {

/// One BLAS thread per rank, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS says otherwise: ranks
/// share the cores already.
void pin_blas_threads();

/// The processor for which OpenBLAS has chosen its kernels, as it calls it.
std::string blas_core();

}  // namespace trilemma
