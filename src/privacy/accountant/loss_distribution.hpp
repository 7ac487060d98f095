#pragma once

#include <vector>

#include "privacy/accountant/loss_atoms.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {

/// A step of a composition, its number of repetitions, and log E_P[exp(tilt L)] of one step.
struct Repeated {
  StepPair pair;
  double steps;
  double log_mgf;
};

/// Interval [first, last] of the composed privacy loss covered by the transform, with the
/// parameters of the Chernoff bounds on the mass outside: e^(theta L) under P for the loss beyond
/// `last`, and further tilts by -s_below and +s_wrapped for the mass that the transform wraps
/// around.
struct Window {
  double first, last;
  double theta_above, s_below, s_wrapped;
  double seek;  ///< an estimate of epsilon that does not exceed it
};

/// Composed privacy loss on a grid, exponentially tilted so that its centre lies near the epsilon
/// that is sought: delta keeps its relative accuracy however small it is. Holds a pessimistic and
/// an optimistic distribution.
class LossDistribution {
 public:
  /// `points` is the length of the transform, `cut` the probability that may be cut off per step.
  LossDistribution(const std::vector<Repeated>& steps, double tilt, const Window& window,
                   std::size_t points, double cut);

  /// Returns bounds with low <= true delta(epsilon) <= high.
  Bracket delta(double epsilon) const;
  /// Returns bounds with low <= smallest epsilon >= 0 such that delta(epsilon) <= delta <= high;
  /// high is infinite if the window does not reach far enough.
  Bracket epsilon(double delta) const;

  double step() const { return h_; }
  /// Returns the allowances for truncation, aliasing and rounding (bounds): the amounts added to
  /// delta(epsilon) on the pessimistic side and subtracted on the optimistic side.
  Bracket allowance(double epsilon) const;

 private:
  struct Side {
    double sign = 1;           ///< +1 pessimistic, -1 optimistic: sign of all allowances
    std::vector<double> mass;  ///< tilted, by index from `first_`
    double log_scale = 0;  ///< log of the factor that converts tilted masses at the centre to delta
    double outside = 0;    ///< contribution to delta of mass beyond the window or at infinity
    double wrapped = 0;    ///< tilted mass that may have been wrapped around to above epsilon
  };
  double loss(std::size_t index) const { return first_ + static_cast<double>(index) * h_; }
  long double untilt(double loss) const;
  double delta(const Side& side, double epsilon) const;
  double epsilon(const Side& side, double delta) const;

  double h_, tilt_, first_ = 0, centre_ = 0, rounding_ = 0;
  Side upper_, lower_;
};

/// Returns the steps of a composition in one direction, remove or add (replace_one has only the
/// first): releases of all units are combined into one Gaussian step, sampled ones are listed by
/// kind.
std::vector<Repeated> direction(const Composition& composition, bool add);

/// Returns the largest loss of the add direction, to which every step contributes at most
/// -log(1-q).
double most_loss_of_add(const Composition& composition);

}  // namespace trilemma::accounting
