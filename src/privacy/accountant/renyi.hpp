#pragma once

#include <functional>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include "privacy/accountant/dominating_pair.hpp"
#include "privacy/accountant/result.hpp"

namespace trilemma::accounting {

/// Returns the Renyi divergence of order a > 1 of one release, D_a(P||Q) = log E_Q[(P/Q)^a] /
/// (a-1), by the trapezoid rule over (1+u)^a - 1 - a u >= 0 with u = P/Q - 1, E_Q[u] = 0, which
/// avoids cancellation and allows real orders (Mironov, Talwar, Zhang 2019 for the moments).
double renyi(const DominatingPair& pair, double order);

/// Renyi divergence of one release on a fixed-size sample without replacement under replace_one:
/// bound of Wang, Balle, Kasiviswanathan 2019, theorem 27; linear interpolation of (a-1) rdp(a)
/// between integer orders (corollary 10). `distance_sigma` is the noise divided by the distance of
/// two neighbours. Caches the moments that the orders share.
class FixedSizeRenyi {
 public:
  FixedSizeRenyi(double rate, double distance_sigma) : rate_(rate), z_(distance_sigma) {}
  /// Returns the divergence of the given order.
  double at(double order);

 private:
  double log_bound(int order);
  double log_term(int order, int j);
  double log_b(int l);
  double log_e(int i) const { return 0.5 * i * (i - 1.0) / (z_ * z_); }

  double rate_, z_;
  std::map<int, double> log_b_;
};

/// Renyi divergence of one release for which the adversary knows whether the unit was drawn, with
/// probability q: log(1 - q + q exp(a (a-1) / (2 z^2))) / (a-1), z = `distance_sigma`.
struct RevealedRenyi {
  double rate, distance_sigma;
  /// Returns the divergence of the given order.
  double at(double order) const;
};

/// Renyi divergence, averaged over coordinates, of masked random signs under a bound on the norm. A
/// coordinate y of a unit, |y| <= c, is sent with probability q as the sign +1 with probability 1/2
/// + y / (2c), otherwise -1; noise N(0, z^2) is added to the sum of the signs of all units. Vectors
/// have norm at most c sqrt(d) / kappa, so the mean of u_j = (y_j / c)^2 is at most 1 / kappa^2.
///
/// For integers a >= 2, the moment A of a coordinate, E_Q[(P/Q)^a], is a power series in y (and in
/// y' for a replaced unit) whose terms are nonnegative after y' has become -|y'|, of even degree,
/// and hence at most a line in u through the moments at the ends. log is concave, so that (Jensen)
///
///     add_remove   (a-1) rdp(a) <= log(A_1 / kappa^2 + (1 - 1/kappa^2) A_0)
///     replace_one  (a-1) rdp(a) <= log(A_1 / kappa^2 + (1 - 1/kappa^2))
///
/// A_1 is the moment of the dominating pair `remove` or `replace`. A_0 is the larger of E[w^a] and
/// E[w^(1-a)] for w the density of a coordinate y = 0, whose signs are noise too, relative to that
/// without the unit. (a-1) rdp(a) is convex, and interpolated between integers. That signs show a
/// unit at y = 0 is why a bound rdp(c) d / kappa^2, which holds for values sent exactly, is too
/// small. Covers add_remove and replace_one; with zero_out the unit keeps sending signs.
class SignsRenyi {
 public:
  SignsRenyi(Relation relation, const Component& component);
  /// Returns the divergence of the given order.
  double at(double order);

 private:
  double log_moment(int order);

  DominatingPair pair_;
  double share_;  ///< 1 / kappa^2
  std::map<int, double> log_moment_;
};

/// Renyi divergence of a composition as a function of the order.
class RenyiCurve {
 public:
  explicit RenyiCurve(const Composition& composition);
  /// Returns the divergence of the given order.
  double at(double order);

 private:
  struct Part {
    double steps;
    std::variant<DominatingPair, FixedSizeRenyi, RevealedRenyi, SignsRenyi> step;
  };
  std::vector<Part> parts_;
};

/// Returns the orders 1.1, 1.2, ..., 10.9, 11, 12, ..., 63, 128, 256, 512, 1024, the list that
/// other accountants use.
std::span<const double> standard_orders();
/// Returns a longer list; the search refines the best order by golden section.
std::span<const double> refined_orders();

/// List of orders that an RDP accountant searches.
enum class Orders { standard, refined };

/// Returns the smallest value of `bound`, a function of the order, over the list. Unless the list
/// is searched in full, as for samples of a fixed size, `bound` must decrease and then increase.
Result renyi_minimum(const Composition& composition, Orders orders,
                     const std::function<double(double)>& bound);

/// Returns epsilon(delta) = min_a rdp(a) + log(1-1/a) - (log delta + log a)/(a-1) (Canonne, Kamath,
/// Steinke 2020), at least 0.
Result renyi_epsilon(const Composition& composition, double delta,
                     Orders orders = Orders::standard);

/// Returns delta(epsilon) = min_a exp((a-1)(rdp(a) - epsilon)) (1-1/a)^a/(a-1), at most 1.
Result renyi_delta(const Composition& composition, double epsilon,
                   Orders orders = Orders::standard);

}  // namespace trilemma::accounting
