#include "tests/support/network_twin.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma::testing {
namespace {

double activation(const std::string& kind, double z) {
  if (kind == "relu") return std::max(z, 0.0);
  return kind == "tanh" ? std::tanh(z) : 1.0 / (1.0 + std::exp(-z));
}

double slope(const std::string& kind, double z) {
  if (kind == "relu") return z > 0 ? 1 : 0;
  const double h = activation(kind, z);
  return kind == "tanh" ? 1 - h * h : h * (1 - h);
}

}  // namespace

std::size_t NetworkShape::dimension() const {
  std::size_t d = 0;
  for (std::size_t l = 1; l < widths.size(); ++l) d += (widths[l - 1] + 1) * widths[l];
  return d;
}

LossGradient network_twin(const NetworkShape& shape, const std::vector<double>& a,
                          std::size_t label, const std::vector<double>& x) {
  const auto& width = shape.widths;
  const std::size_t last = width.size() - 1;
  std::vector<std::vector<double>> z(width.size());  // before the activation
  std::vector<std::vector<double>> h{a};
  std::vector<std::size_t> begin(width.size());  // of a layer's W in x
  for (std::size_t l = 1, at = 0; l <= last; at += (width[l - 1] + 1) * width[l], ++l) {
    begin[l] = at;
    z[l].resize(width[l]);
    h.emplace_back(width[l]);
    for (std::size_t j = 0; j < width[l]; ++j) {
      z[l][j] = x[at + width[l - 1] * width[l] + j];
      for (std::size_t i = 0; i < width[l - 1]; ++i)
        z[l][j] += h[l - 1][i] * x[at + i * width[l] + j];
      h[l][j] = activation(shape.activation, z[l][j]);
    }
  }
  const std::vector<double>& o = z[last];
  const auto top = std::max_element(o.begin(), o.end());
  double sum = 0;
  for (const double v : o) sum += std::exp(v - *top);
  LossGradient out{*top + std::log(sum) - o[label], std::vector<double>(shape.dimension()),
                   static_cast<std::size_t>(top - o.begin())};
  std::vector<double> e(width[last]);  // derivative by z of the layer
  for (std::size_t c = 0; c < e.size(); ++c)
    e[c] = std::exp(o[c] - *top) / sum - (c == label ? 1.0 : 0.0);
  for (std::size_t l = last; l > 0; --l) {
    std::vector<double> below(width[l - 1]);
    for (std::size_t j = 0; j < width[l]; ++j) {
      out.gradient[begin[l] + width[l - 1] * width[l] + j] = e[j];
      for (std::size_t i = 0; i < width[l - 1]; ++i) {
        out.gradient[begin[l] + i * width[l] + j] = h[l - 1][i] * e[j];
        below[i] += e[j] * x[begin[l] + i * width[l] + j];
      }
    }
    if (l > 1)
      for (std::size_t i = 0; i < below.size(); ++i)
        below[i] *= slope(shape.activation, z[l - 1][i]);
    e = below;
  }
  return out;
}

}  // namespace trilemma::testing
