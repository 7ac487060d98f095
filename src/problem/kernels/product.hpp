#pragma once

#include <string>

#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Implementation of matrix products: OpenBLAS with its kernels for the processor, or slower
/// kernels of our own, whose sums have one order on all processors and the same bits on all that
/// have a fused multiply-add.
enum class Products { fast, portable };

/// Chooses the implementation for the whole process, since OpenBLAS chooses its kernels per
/// process.
void choose_products(Products products);
/// Chooses the implementation, and limits kernels to registers of `vector_bits` bits; 0 = no limit.
/// Does not raise a lower limit.
void choose_arithmetic(Products products, unsigned vector_bits);

/// Sets out = a b. Here and below, the result must not overlap a or b.
void product(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out);
/// Sets out = a b^T.
void product_with_transpose(const ConstMatrixView& a, const ConstMatrixView& b, MatrixView out);
/// Adds weight a^T b to out.
void add_transpose_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b,
                           MatrixView out);

/// Limits BLAS to one thread per rank, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS is set: ranks
/// already share the cores.
void pin_blas_threads();

/// Returns OpenBLAS's name of the processor for which it has chosen its kernels.
std::string blas_core();

}  // namespace trilemma
