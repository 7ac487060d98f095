#pragma once

#include <string>

#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Who computes products of matrices: OpenBLAS with the kernels that it has for the processor, or
/// our own ones, slower, whose sums have one order on all processors: the same bits on all that
/// have a fused multiply-add.
enum class Products { fast, portable };

/// For the whole process, as the choice of OpenBLAS's kernels is.
void choose_products(Products products);
/// The same, and kernels use registers of `vector_bits` at most, unless they are narrower already;
/// 0 = no limit.
void choose_arithmetic(Products products, unsigned vector_bits);

/// out = a b. The result shares no memory with a or b, here and below.
void product(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out);
/// out = a b^T
void product_with_transpose(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out);
/// out += weight a^T b
void add_transpose_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b,
                           MatrixView out);

/// One BLAS thread per rank, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS says otherwise: ranks
/// share the cores already.
void pin_blas_threads();

/// The processor for which OpenBLAS has chosen its kernels, as it calls it.
std::string blas_core();

}  // namespace trilemma
