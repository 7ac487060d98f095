#pragma once

#include "numeric/lanes.hpp"
#include "problem/problem.hpp"
#include "settings/reader.hpp"

namespace trilemma {

/// The regulariser l2/2 |x|^2 over all coordinates, including biases, as weight decay in PyTorch.
struct WeightDecay {
  double l2 = 0;

  void read(Reader& r) {
    r("l2", l2, at_least(0),
      "weight of the regulariser l2/2 |x|^2, biases included (weight decay)");
  }
  double value(ConstView x) const { return l2 == 0 ? 0.0 : 0.5 * l2 * norm_squared(x); }
  /// Implements Problem::add_regulariser_at().
  void add_gradient(ConstView x, Support at, View g) const {
    if (l2 == 0) return;
    const real factor = static_cast<real>(l2);
    at.each(x.size(), [&](std::size_t i, std::size_t j) { g[i] += factor * x[j]; });
  }
  /// Returns a suffix for descriptions; empty without regulariser.
  std::string text() const { return l2 == 0 ? "" : fmt::format(", l2 = {}", l2); }
};

}  // namespace trilemma
