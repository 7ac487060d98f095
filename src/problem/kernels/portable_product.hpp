#pragma once

#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Whether a product overwrites the result or is added to it.
enum class Onto { nothing, result };

/// Sets out = weight a b, or adds weight a b to out; each sum runs over the columns of a in their
/// order.
void portable_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b, Onto onto,
                      MatrixView out);

}  // namespace trilemma
