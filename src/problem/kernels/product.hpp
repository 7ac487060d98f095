#pragma once

#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Implementation of matrix products: the BLAS library of the build with its kernels for the
/// processor, or slower kernels of our own, whose sums have one order on all processors and the
/// same bits on all that have a fused multiply-add. In a build without BLAS, both are our own.
enum class Products { fast, portable };

/// Chooses the implementation for the whole process, since a BLAS library chooses its kernels per
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

/// Whether a product overwrites the result or is added to it.
enum class Onto { nothing, result };

/// Sets out = weight a b, or adds weight a b to out; each sum runs over the columns of a in their
/// order.
void portable_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b, Onto onto,
                      MatrixView out);

}  // namespace trilemma
