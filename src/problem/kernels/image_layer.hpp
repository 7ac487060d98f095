#pragma once
// Products of image rows with dense matrices that skip the zero bytes. A feature is
// scale * byte + shift, so A W = scale * (B W) + shift * (1 1^T W) with B the bytes: for MNIST 81 %
// of B is zero and the work is a fifth of the dense product's. Sums run in the order of the
// columns.

#include "data/dataset.hpp"
#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Asks for the memory of the rows, which are scattered, before the first is used.
void image_prefetch(const DenseRows& images, Coordinates rows);

/// out = A w for the given rows of `images` (with index of non-zeros): rows.size() x w.cols().
void image_product(const DenseRows& images, Coordinates rows, const ConstMatrixView& w,
                   MatrixView out);

/// sum += weight * A^T e: images.columns x e.cols().
void image_transpose_product(const DenseRows& images, Coordinates rows, real weight,
                             const ConstMatrixView& e, MatrixView sum);

}  // namespace trilemma
