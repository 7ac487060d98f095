#pragma once
// Products of image rows with dense matrices that skip zero bytes. A feature is scale * byte +
// shift, so A W = scale * (B W) + shift * (1 1^T W) with the bytes B: for MNIST 81 % of B is zero,
// and the work is a fifth of that of the dense product. Sums run in the order of the columns.

#include "data/dataset.hpp"
#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Prefetches the given rows, which are scattered in memory, before they are used.
void image_prefetch(const DenseRows& images, Coordinates rows);

/// Sets out = A w for the given rows A of `images` (which have an index of nonzeros): rows.size() x
/// w.cols().
void image_product(const DenseRows& images, Coordinates rows, const ConstMatrixView& w,
                   MatrixView out);

/// Adds weight * A^T e to sum: images.columns x e.cols().
void image_transpose_product(const DenseRows& images, Coordinates rows, real weight,
                             const ConstMatrixView& e, MatrixView sum);

}  // namespace trilemma
