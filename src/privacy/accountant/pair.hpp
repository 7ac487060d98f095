#pragma once

#include <array>

#include "privacy/accountant/composition.hpp"

namespace trilemma::accounting {

/// Probability under both distributions of a pair.
struct Masses {
  double p = 0, q = 0;
};

/// Dominating pair (P, Q) of one Poisson-subsampled Gaussian release along the line that joins two
/// neighbours (C = 1, noise z), oriented so that the privacy loss L(x) = log dP/dQ (x) grows with
/// x:
///   remove   P = (1-q) N(0,z^2) + q N(1,z^2),  Q = N(0,z^2)
///   add      P = N(0,z^2),                     Q = (1-q) N(0,z^2) + q N(-1,z^2)
///   replace  P = (1-q) N(0,z^2) + q N(1,z^2),  Q = (1-q) N(0,z^2) + q N(-1,z^2)
/// (Zhu, Dong, Wang 2022.) At q = 1 the first two are the Gaussian mechanism.
class Pair {
 public:
  enum class Kind { remove, add, replace };
  Pair(Kind kind, double rate, double sigma);

  double sigma() const { return z_; }
  double rate() const { return rate_; }
  Kind kind() const { return kind_; }

  /// Privacy loss at x.
  double loss(double x) const;
  /// x with loss(x) = loss; -infinity or +infinity where the loss is out of range.
  double where(double loss) const;
  /// exp(loss(x)) - 1 without cancellation.
  double excess(double x) const;
  /// Logarithm of z sqrt(2 pi) times the density of Q.
  double log_density_q(double x) const;

  /// Tails at x, kept on the smaller side so that masses between two places do not cancel.
  struct Place {
    double x;
    std::array<double, 3> tail;  ///< of N(-1), N(0), N(1): beyond x, on the side away from the mean
  };
  Place place(double x) const;
  /// Masses of (from, to).
  Masses between(const Place& from, const Place& to) const;

 private:
  Kind kind_;
  double rate_, z_;
  std::array<double, 3> p_{}, q_{};  ///< weights of N(-1), N(0), N(1)
};

}  // namespace trilemma::accounting
