#pragma once

#include <vector>

#include "privacy/accountant/loss_distribution.hpp"

namespace trilemma::accounting {

/// Cells of the loss of one step: their losses and the logarithms of their masses.
struct CoarseCells {
  std::vector<double> loss, log_p;
};

/// A coarse approximation of the privacy loss of a composition under P, for choosing tilt and
/// window; no certified bound depends on it.
class CoarseLoss {
 public:
  /// `cut` is the probability that may be cut off at each end.
  CoarseLoss(const std::vector<Repeated>& steps, double cut);

  /// Returns approximately the cumulant function K(s) = sum_j T_j log E_P[exp(s L_j)]; one()
  /// returns it for step j alone.
  double cumulant(double s) const;
  double one(std::size_t j, double s) const;

  /// Returns the tilt that centres the composed loss where delta(epsilon) = delta: the best Renyi
  /// order less 1.
  double tilt_for_delta(double delta) const;
  double tilt_for_epsilon(double epsilon) const;
  /// Returns the logarithm of the bound on delta(epsilon) at tilt `theta`.
  double log_delta(double theta, double epsilon) const;

  /// Returns a loss above which lies a share of at most about e^-nats of the loss at a tilt.
  double reach(double tilt, double nats) const;
  /// Returns a window around the tilted loss such that truncation and wrap-around change
  /// delta(epsilon) = delta by a share of about e^-18. `seek` is a lower bound on epsilon.
  Window window(double tilt, double log_delta, double epsilon, double seek) const;

 private:
  struct Part {
    double steps;
    CoarseCells cells;
  };
  std::vector<Part> parts_;
};

}  // namespace trilemma::accounting
