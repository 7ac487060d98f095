#pragma once
// PrivUnit (Bhowmick et al. 2018, 1812.00984) with the cap of the smallest error.

#include <vector>

#include "numeric/random.hpp"
#include "privacy/accountant/spherical_cap.hpp"

namespace trilemma {

/// Encoder of vectors of norm at most C = `norm` in d >= 2 dimensions.
class PrivUnit {
 public:
  PrivUnit(std::size_t dimension, double norm, const accounting::Cap& cap);

  /// Writes C V / mean for a direction V, whose mean is x: u = x / ||x|| changes its sign with
  /// probability 1/2 - ||x|| / (2 C), V lies in the cap of u with probability p, t = <V,u> has the
  /// law of a uniform direction there or in the rest of the sphere, and the part orthogonal to u is
  /// uniform. Normal numbers come from the key, coins and t from the same key with the purpose
  /// rounding.
  void encode(ConstView x, const Key& key, View out);

  /// Returns E||out - x||^2 for ||x|| = C: C^2 (1 / mean^2 - 1).
  double error() const;

 private:
  double norm_;
  accounting::Cap cap_;
  std::vector<double> direction_, normal_;  ///< scratch memory
};

}  // namespace trilemma
