#pragma once

#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// What a product is added to: nothing, or what the result holds.
enum class Onto { nothing, result };

/// out = weight a b, or out += weight a b; each sum over the columns of a in their order.
void portable_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b, Onto onto,
                      MatrixView out);

}  // namespace trilemma
