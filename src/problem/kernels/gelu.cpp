#include <cmath>
#include <numbers>

#include "numeric/vmath.hpp"
#include "problem/kernels/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/gelu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

// The number, but at most 40 in size, where Phi is 0 or 1; Phi and exp(-z^2/2).
struct Normal {
  double z, probability, shape;
};

// Phi(-x) = exp(-x^2/2) P(x) / Q(x) for x >= 0, Hart et al. 1968 (no. 5666) as in West 2005: the
// same bits for every width, which the C library's erfc does not promise.
HWY_INLINE Normal normal(double z) {
  z = z > 40 ? 40 : z;
  z = z < -40 ? -40 : z;
  const double x = z < 0 ? -z : z;
  const double shape = vmath::exp(-0.5 * z * z);
  double p = 3.52624965998911e-2;
  p = std::fma(p, x, 0.700383064443688);
  p = std::fma(p, x, 6.37396220353165);
  p = std::fma(p, x, 33.912866078383);
  p = std::fma(p, x, 112.079291497871);
  p = std::fma(p, x, 221.213596169931);
  p = std::fma(p, x, 220.206867912376);
  double q = 8.83883476483184e-2;
  q = std::fma(q, x, 1.75566716318264);
  q = std::fma(q, x, 16.064177579207);
  q = std::fma(q, x, 86.7807322029461);
  q = std::fma(q, x, 296.564248779674);
  q = std::fma(q, x, 637.333633378831);
  q = std::fma(q, x, 793.826512519948);
  q = std::fma(q, x, 440.413735824752);
  const double tail = shape * (p / q);
  return {z, z < 0 ? tail : 1 - tail, shape};
}

}  // namespace

void outputs(ConstView z, View h) {
  for (std::size_t j = 0; j < z.size(); ++j) {
    const auto value = static_cast<double>(z[j]);
    h[j] = static_cast<real>(value * normal(value).probability);
  }
}

void slopes(ConstView z, ConstView e, View down) {
  constexpr double density = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  for (std::size_t j = 0; j < z.size(); ++j) {
    const Normal n = normal(static_cast<double>(z[j]));
    down[j] = static_cast<real>(static_cast<double>(e[j]) *
                                std::fma(n.z * density, n.shape, n.probability));
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(outputs);
HWY_EXPORT(slopes);

void gelu(ConstView z, View h) { HWY_DYNAMIC_DISPATCH(outputs)(z, h); }

void gelu_slopes(ConstView z, ConstView e, View down) { HWY_DYNAMIC_DISPATCH(slopes)(z, e, down); }

}  // namespace trilemma
#endif
