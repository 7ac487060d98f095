#pragma once

namespace trilemma {

/// One BLAS thread per rank, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS says otherwise: ranks
/// share the cores already.
void pin_blas_threads();

}  // namespace trilemma
