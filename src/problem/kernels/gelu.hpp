#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Sets h = z Phi(z), Phi the distribution function of N(0, 1), to an absolute error of 1e-15 in
/// Phi.
void gelu(ConstView z, View h);
/// Sets down = e (Phi(z) + z phi(z)), the derivatives with respect to z.
void gelu_slopes(ConstView z, ConstView e, View down);

}  // namespace trilemma
