#pragma once
// Plain twin of the network problem: loops over single numbers in double, one record at a time.

#include <vector>

#include "core/types.hpp"

namespace trilemma::testing {

struct NetworkShape {
  std::size_t inputs, hidden, classes;
  std::size_t dimension() const { return inputs * hidden + hidden + hidden * classes + classes; }
};

/// Loss and gradient of one record with features `a`; x holds W1 (inputs x hidden), b1, W2 (hidden
/// x classes), b2, row-major.
struct LossGradient {
  double loss;
  std::vector<double> gradient;
  std::size_t guess;  ///< the class with the largest probability
};
LossGradient network_twin(const NetworkShape& shape, const std::vector<double>& a,
                          std::size_t label, ConstView x);

}  // namespace trilemma::testing
