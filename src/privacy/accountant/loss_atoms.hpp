#pragma once

#include <array>
#include <memory>
#include <variant>
#include <vector>

#include "privacy/accountant/dominating_pair.hpp"

namespace trilemma::accounting {

/// One value of a discrete privacy loss with its probability under P.
struct LossAtom {
  double loss = 0;
  double mass = 0;
};

/// A dominating pair (P, Q) whose privacy loss is discrete. Its points are the losses themselves;
/// otherwise it has the functions of DominatingPair that discretise() calls. Copies share the
/// atoms.
class LossAtoms {
 public:
  /// Takes atoms in any order; `infinite` is the mass of P where Q has none.
  explicit LossAtoms(std::vector<LossAtom> atoms, double infinite = 0);

  const std::vector<LossAtom>& atoms() const { return *atoms_; }
  double infinite() const { return infinite_; }

  double loss(double x) const { return x; }
  double where(double loss) const { return loss; }

  struct Place {
    double x;
    std::size_t index;  ///< number of atoms with losses up to x
  };
  Place place(double x) const;
  /// Returns the masses of (from, to], with the infinite loss if `to` is at infinity.
  Masses between(const Place& from, const Place& to) const;

 private:
  std::shared_ptr<const std::vector<LossAtom>> atoms_;  ///< ascending
  double infinite_;
};

/// Pair of one step of a composition.
using StepPair = std::variant<DominatingPair, LossAtoms>;

/// Returns an interval outside which lies the loss of a probability of at most `tail` at either end
/// (under P, without an infinite loss).
std::array<double, 2> loss_range(const DominatingPair& pair, double tail);
std::array<double, 2> loss_range(const LossAtoms& pair, double tail);

/// A point of a delta curve. `below` is delta(epsilon) - 1 + e^epsilon, read instead of delta at
/// negative losses, where delta is close to 1, and at the first loss after these.
struct CurvePoint {
  double loss = 0;
  double delta = 0;
  double below = 0;
};

/// Returns the discrete loss whose delta curve, a function of t = e^epsilon, is linear between the
/// points, which ascend: an upper bound on any convex curve through them. With slopes s_i between
/// points i and i + 1, s_{-1} = -(1 - delta_0) / t_0 before the first, and 0 after the last one,
/// the mass at loss i is t_i (s_i - s_{i-1}), and the last delta is the mass at infinity.
LossAtoms from_curve(const std::vector<CurvePoint>& points);

}  // namespace trilemma::accounting
