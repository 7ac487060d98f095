#include "problem/activation.hpp"

#include "numeric/vmath.hpp"

namespace trilemma {

const std::vector<std::string>& activations() {
  static const std::vector<std::string> names{"sigmoid", "tanh", "relu"};
  return names;
}

void activate(Activation kind, View z, const real* bias) {
  const auto fill = [&](auto&& function) {
    for (std::size_t j = 0; j < z.size(); ++j) z[j] = function(z[j] + bias[j]);
  };
  switch (kind) {
    case Activation::sigmoid:
      return fill([](real v) { return real{1} / (real{1} + vmath::exp(-v)); });
    case Activation::tanh:  // of absolute, not relative, accuracy near 0
      return fill([](real v) { return real{1} - real{2} / (real{1} + vmath::exp(real{2} * v)); });
    case Activation::relu:  // NaN stays NaN
      return fill([](real v) { return v < 0 ? real{0} : v; });
  }
}

void chain(Activation kind, View e, ConstView h) {
  const auto scale = [&](auto&& slope) {
    for (std::size_t j = 0; j < e.size(); ++j) e[j] *= slope(h[j]);
  };
  switch (kind) {
    case Activation::sigmoid:
      return scale([](real v) { return v * (real{1} - v); });
    case Activation::tanh:
      return scale([](real v) { return real{1} - v * v; });
    case Activation::relu:
      return scale([](real v) { return v > 0 ? real{1} : real{0}; });
  }
}

}  // namespace trilemma
