#pragma once

#include <complex>
#include <vector>

#include "privacy/accountant/loss_distribution.hpp"

namespace trilemma::accounting {

/// Parameters of the transform of the loss of one round.
struct PowerSpec {
  double tilt;         ///< exponential tilt, above 0
  double width;        ///< length of the window into which the composed loss is wrapped
  std::size_t points;  ///< length of the transform
  double cut;          ///< probability that may be cut off per step
  double least;        ///< smallest number of rounds that will be requested
};

/// The privacy loss of one round, tilted and transformed once, for delta(epsilon) after any number
/// of rounds: the transform is raised to that power, and delta is evaluated without an inverse
/// transform,
///   delta(epsilon) = sum over l > epsilon of p(l) (1 - e^(epsilon - l)) = (1/n) sum_w F(w)^t G(w),
/// where G is the transform of the payoff (two geometric series). Frequencies at which F(w)^least
/// vanishes are dropped, which leaves few of them for many rounds.
class RoundPowers {
 public:
  /// Throws std::length_error if a step does not fit on the grid.
  RoundPowers(const std::vector<Repeated>& round, const PowerSpec& spec);

  /// log delta(epsilon) and its derivative with respect to epsilon.
  struct Reading {
    double log_delta, slope;
  };
  /// Returns an upper bound: uses pessimistic masses, including all their copies in further
  /// windows, and adds the largest possible rounding error.
  Reading above(double rounds, double epsilon) const { return read(upper_, rounds, epsilon, 1); }
  /// Returns the value for the optimistic masses without allowances, which shows how tight above()
  /// is.
  Reading below(double rounds, double epsilon) const { return read(lower_, rounds, epsilon, 0); }

 private:
  struct Frequency {
    std::size_t number;
    double log_size, angle;              ///< of F
    std::complex<double> series, steep;  ///< of the payoff's two exponentials
    double weight, bound, per_size;      ///< 2, or 1 for frequencies 0 and n/2; bound on |G|; 1/|F|
  };
  struct Side {
    std::vector<Frequency> frequencies;
    double log_scale = 0;  ///< log of the divisor of a round's tilted masses
    double infinite = 0;   ///< mass of a round at infinite loss
    double dropped = 0;    ///< bound on the contribution of the dropped frequencies
  };
  void keep(const std::vector<std::complex<double>>& transform, double least, Side& side) const;
  Reading read(const Side& side, double rounds, double epsilon, double allowances) const;

  std::size_t points_;
  double h_, tilt_, offset_ = 0, steps_ = 0;
  Side upper_, lower_;
};

}  // namespace trilemma::accounting
