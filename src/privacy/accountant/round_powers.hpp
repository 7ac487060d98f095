#pragma once

#include <complex>
#include <vector>

#include "privacy/accountant/loss_distribution.hpp"

namespace trilemma::accounting {

/// How the loss of one round is transformed.
struct PowerSpec {
  double tilt;         ///< exponential tilt, above 0
  double width;        ///< length of the window that the composed loss is wrapped into
  std::size_t points;  ///< of the transform
  double cut;          ///< probability that may be cut off per step
  double least;        ///< fewest rounds that are asked for
};

/// The privacy loss of one round, tilted and transformed once, for delta(epsilon) after any number
/// of rounds: the transform is raised to that power and delta is read off it without going back,
///   delta(epsilon) = sum over l > epsilon of p(l) (1 - e^(epsilon - l)) = (1/n) sum_w F(w)^t G(w),
/// where G is the transform of the payoff (two geometric series). Frequencies at which F(w)^least
/// vanishes are left out, which leaves few where there are many rounds.
class RoundPowers {
 public:
  /// Throws std::length_error where a step does not fit on the grid.
  RoundPowers(const std::vector<Repeated>& round, const PowerSpec& spec);

  /// log delta(epsilon) and its derivative with respect to epsilon.
  struct Reading {
    double log_delta, slope;
  };
  /// From above: pessimistic masses, all their copies in further windows counted too, plus all that
  /// rounding may have changed.
  Reading above(double rounds, double epsilon) const { return read(upper_, rounds, epsilon, 1); }
  /// From the optimistic masses, without allowances: tells how tight the other one is.
  Reading below(double rounds, double epsilon) const { return read(lower_, rounds, epsilon, 0); }

 private:
  struct Frequency {
    std::size_t number;
    double log_size, angle;              ///< of F
    std::complex<double> series, steep;  ///< of the payoff's two exponentials
    double weight, bound, per_size;      ///< twice but for 0 and n/2; of |G|; 1/|F|
  };
  struct Side {
    std::vector<Frequency> frequencies;
    double log_scale = 0;  ///< log of what a round's tilted masses were divided by
    double infinite = 0;   ///< mass of a round at an infinite loss
    double dropped = 0;    ///< bound on what the frequencies left out add
  };
  void keep(const std::vector<std::complex<double>>& transform, double least, Side& side) const;
  Reading read(const Side& side, double rounds, double epsilon, double allowances) const;

  std::size_t points_;
  double h_, tilt_, offset_ = 0, steps_ = 0;
  Side upper_, lower_;
};

}  // namespace trilemma::accounting
