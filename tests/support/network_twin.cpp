#include "tests/support/network_twin.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma::testing {

LossGradient network_twin(const NetworkShape& shape, const std::vector<double>& a,
                          std::size_t label, ConstView x) {
  const auto [inputs, hidden, classes] = shape;
  const std::size_t b1 = inputs * hidden;
  const std::size_t w2 = b1 + hidden;
  const std::size_t b2 = w2 + hidden * classes;
  auto at = [&](std::size_t i) { return static_cast<double>(x[i]); };
  std::vector<double> h(hidden);
  for (std::size_t j = 0; j < hidden; ++j) {
    double z = at(b1 + j);
    for (std::size_t i = 0; i < inputs; ++i) z += a[i] * at(i * hidden + j);
    h[j] = 1.0 / (1.0 + std::exp(-z));
  }
  std::vector<double> o(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    o[c] = at(b2 + c);
    for (std::size_t j = 0; j < hidden; ++j) o[c] += h[j] * at(w2 + j * classes + c);
  }
  const double top = *std::max_element(o.begin(), o.end());
  double sum = 0;
  for (const double v : o) sum += std::exp(v - top);
  LossGradient out{top + std::log(sum) - o[label], std::vector<double>(shape.dimension()),
                   static_cast<std::size_t>(std::max_element(o.begin(), o.end()) - o.begin())};
  std::vector<double> e2(classes);
  for (std::size_t c = 0; c < classes; ++c)
    e2[c] = std::exp(o[c] - top) / sum - (c == label ? 1.0 : 0.0);
  for (std::size_t c = 0; c < classes; ++c) {
    out.gradient[b2 + c] = e2[c];
    for (std::size_t j = 0; j < hidden; ++j) out.gradient[w2 + j * classes + c] = h[j] * e2[c];
  }
  for (std::size_t j = 0; j < hidden; ++j) {
    double e1 = 0;
    for (std::size_t c = 0; c < classes; ++c) e1 += e2[c] * at(w2 + j * classes + c);
    e1 *= h[j] * (1.0 - h[j]);
    out.gradient[b1 + j] = e1;
    for (std::size_t i = 0; i < inputs; ++i) out.gradient[i * hidden + j] = a[i] * e1;
  }
  return out;
}

}  // namespace trilemma::testing
