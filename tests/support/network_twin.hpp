#pragma once
// Plain twin of the network problem: loops over single numbers in double, one record at a time.

#include <string>
#include <vector>

#include "base/types.hpp"

namespace trilemma::testing {

struct NetworkShape {
  std::vector<std::size_t> widths;  ///< inputs, hidden layers, classes
  std::string activation = "sigmoid";
  std::size_t dimension() const;
};

/// Loss and gradient of one record with features `a`; x holds W (inputs x outputs, row-major) and
/// the biases of one layer after the other.
struct LossGradient {
  double loss;
  std::vector<double> gradient;
  std::size_t guess;  ///< the class with the largest probability
};
LossGradient network_twin(const NetworkShape& shape, const std::vector<double>& a,
                          std::size_t label, const std::vector<double>& x);

}  // namespace trilemma::testing
