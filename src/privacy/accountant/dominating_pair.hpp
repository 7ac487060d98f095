#pragma once

#include <array>

#include "privacy/accountant/composition.hpp"

namespace trilemma::accounting {

/// Probabilities of a set under the two distributions of a pair.
struct Masses {
  double p = 0, q = 0;
};

/// Dominating pair (P, Q) of one subsampled Gaussian release along the line that joins two
/// neighbours (noise z), oriented so that the privacy loss L(x) = log dP/dQ (x) increases with x.
/// Poisson sampling, for contributions of norm at most 1:
///   remove   P = (1-q) N(0,z^2) + q N(1,z^2),  Q = N(0,z^2)
///   add      P = N(0,z^2),                     Q = (1-q) N(0,z^2) + q N(-1,z^2)
///   replace  P = (1-q) N(0,z^2) + q N(1,z^2),  Q = (1-q) N(0,z^2) + q N(-1,z^2)
/// The first two are theorem 11 of Zhu, Dong and Wang 2022; the third combines both for
/// replace_one. Samples of a fixed size, where two contributions that replace each other are at
/// most 1 apart (theorem 11 there for subsets; Balle, Barthe and Gaboardi 2018, advanced joint
/// convexity):
///   subset   the loss of `remove` where it is above 0 (x > 0, shifted there by -1/2), the loss of
///            `add` where it is below 0 (x < 0, shifted by 1/2), and the remaining mass at loss 0
///            (x = 0)
/// At q = 1 all except `replace` are the Gaussian mechanism.
class DominatingPair {
 public:
  enum class Kind { remove, add, replace, subset };
  DominatingPair(Kind kind, double rate, double sigma);

  double sigma() const { return z_; }
  double rate() const { return rate_; }
  Kind kind() const { return kind_; }

  /// Returns the privacy loss at x.
  double loss(double x) const;
  /// Returns x with loss(x) = loss; -infinity or +infinity if the loss is out of range.
  double where(double loss) const;
  /// Returns exp(loss(x)) - 1 without cancellation.
  double excess(double x) const;
  /// Returns the logarithm of z sqrt(2 pi) times the density of Q, without the atom of `subset`.
  double log_density_q(double x) const;

  /// Tail probabilities at x, stored for the smaller side so that masses between two points do not
  /// cancel.
  struct Place {
    double x;
    std::array<double, 3> tail;  ///< of each Gaussian: beyond x, on the side away from its mean
  };
  /// Returns the tails at x.
  Place place(double x) const;
  /// Returns the masses of (from, to].
  Masses between(const Place& from, const Place& to) const;

 private:
  using Weights = std::array<double, 3>;
  double weighted(const Weights& weights, const Place& from, const Place& to) const;

  Kind kind_;
  double rate_, z_;
  std::array<double, 3> mean_{-1, 0, 1};  ///< of the Gaussians that are mixed to P and Q
  Weights p_{}, q_{};  ///< weights of the Gaussians; for `subset` those for x > 0
  double atom_ = 0;    ///< mass of `subset` at x = 0
};

}  // namespace trilemma::accounting
