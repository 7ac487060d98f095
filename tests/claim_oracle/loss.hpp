#pragma once
// The privacy loss of one round: log of the ratio of the densities of the two neighbours.

#include <limits>
#include <vector>

#include "tests/claim_oracle/profile.hpp"

namespace trilemma::claims {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
/// Standard deviations that quadratures reach beyond the outermost mean.
inline constexpr double reach = 9;
/// Largest shift by tilting: beyond it deltas are below e^-300 and count as none.
inline constexpr double most_tilt = 26;

struct Slope {
  double value, derivative;
};

/// A pair with what its loss needs at hand. The pair must outlive it.
class Loss {
 public:
  explicit Loss(const DominatingPair& pair);
  double least() const { return least_; }  ///< least mean of an atom
  double most() const { return most_; }
  double span() const { return most_ - least_; }

  Slope at(double x) const;
  /// log of the density of the first law at x, over that of N(0, 1) at 0.
  double log_first(double x) const;
  /// Mass of [a, b) under one of the laws.
  double mass_of(double a, double b, double Atom::*law) const;
  /// The least value is one of the second law alone, so there is no least loss.
  bool falls_without_end() const;
  /// Where the loss rises from there on; where the atoms do not tell, found on a grid.
  double rises_from() const;

 private:
  Slope log_density(double x, double Atom::*law) const;
  const DominatingPair& pair_;
  double least_ = infinite, most_ = -infinite;
};

/// log E e^(theta loss) under the first law, with mean and variance of the tilted loss.
struct Tilted {
  double log_sum, mean, variance;
};

/// Losses at points of a grid, to tilt by any theta.
class Moments {
 public:
  explicit Moments(const Loss& loss);
  Tilted tilt(double theta) const;

 private:
  std::vector<double> loss_, weight_;
};

}  // namespace trilemma::claims
