#include "numeric/vmath.hpp"
#include "problem/kernels/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

void activated(Activation kind, View z, const real* bias) {
  const auto fill = [&](auto&& function) HWY_ATTR {
    if (bias == nullptr)
      for (real& value : z) value = function(value);
    else
      for (std::size_t j = 0; j < z.size(); ++j) z[j] = function(z[j] + bias[j]);
  };
  switch (kind) {
    case Activation::sigmoid:
      return fill([](real v) HWY_ATTR { return real{1} / (real{1} + vmath::exp(-v)); });
    case Activation::tanh:  // accurate in absolute, not relative, terms near 0
      return fill([](real v)
                      HWY_ATTR { return real{1} - real{2} / (real{1} + vmath::exp(real{2} * v)); });
    case Activation::relu:  // NaN stays NaN
      return fill([](real v) HWY_ATTR { return v < 0 ? real{0} : v; });
  }
}

void chained(Activation kind, View e, ConstView h) {
  const auto scale = [&](auto&& slope) HWY_ATTR {
    for (std::size_t j = 0; j < e.size(); ++j) e[j] *= slope(h[j]);
  };
  switch (kind) {
    case Activation::sigmoid:
      return scale([](real v) HWY_ATTR { return v * (real{1} - v); });
    case Activation::tanh:
      return scale([](real v) HWY_ATTR { return real{1} - v * v; });
    case Activation::relu:
      return scale([](real v) HWY_ATTR { return v > 0 ? real{1} : real{0}; });
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(activated);
HWY_EXPORT(chained);

const std::vector<std::string>& activations() {
  static const std::vector<std::string> names{"sigmoid", "tanh", "relu"};
  return names;
}

void activate(Activation kind, View z, const real* bias) {
  HWY_DYNAMIC_DISPATCH(activated)(kind, z, bias);
}

void activate(Activation kind, View z) { activate(kind, z, nullptr); }

void chain(Activation kind, View e, ConstView h) { HWY_DYNAMIC_DISPATCH(chained)(kind, e, h); }

}  // namespace trilemma
#endif
