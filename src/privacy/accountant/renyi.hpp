#pragma once

#include <functional>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include "privacy/accountant/dominating_pair.hpp"
#include "privacy/accountant/result.hpp"

namespace trilemma::accounting {

/// Renyi divergence of order a > 1 of one release, D_a(P||Q) = log E_Q[(P/Q)^a] / (a-1), by the
/// trapezoid rule over (1+u)^a - 1 - a u >= 0 with u = P/Q - 1, E_Q[u] = 0: no cancellation, real
/// orders (Mironov, Talwar, Zhang 2019 for the moments).
double renyi(const DominatingPair& pair, double order);

/// Renyi divergence of one release on a fixed-size sample without replacement under replace_one:
/// bound of Wang, Balle, Kasiviswanathan 2019, theorem 27; linear interpolation of (a-1) rdp(a)
/// between whole orders (corollary 10). `distance_sigma` is the noise over the distance of two
/// neighbours. Keeps the moments that the orders share.
class FixedSizeRenyi {
 public:
  FixedSizeRenyi(double rate, double distance_sigma) : rate_(rate), z_(distance_sigma) {}
  double at(double order);

 private:
  double log_bound(int order);
  double log_term(int order, int j);
  double log_b(int l);
  double log_e(int i) const { return 0.5 * i * (i - 1.0) / (z_ * z_); }

  double rate_, z_;
  std::map<int, double> log_b_;
};

/// Renyi divergence of one release of which the adversary knows whether the unit was drawn, with
/// probability q: log(1 - q + q exp(a (a-1) / (2 z^2))) / (a-1), z = `distance_sigma`.
struct RevealedRenyi {
  double rate, distance_sigma;
  double at(double order) const;
};

/// Renyi divergence of a composition, order by order.
class RenyiCurve {
 public:
  explicit RenyiCurve(const Composition& composition);
  double at(double order);

 private:
  struct Part {
    double steps;
    std::variant<DominatingPair, FixedSizeRenyi, RevealedRenyi> step;
  };
  std::vector<Part> parts_;
};

/// Orders 1.1, 1.2, ..., 10.9, 11, 12, ..., 63, 128, 256, 512, 1024: the list other accountants
/// use.
std::span<const double> standard_orders();
/// A longer list, refined around the best order by golden section.
std::span<const double> refined_orders();

/// Which list an RDP accountant searches.
enum class Orders { standard, refined };

/// The smallest value of `bound`, a function of the order, over the list. `bound` must fall and
/// then rise where it is not searched in full, as for samples of a fixed size.
Result renyi_minimum(const Composition& composition, Orders orders,
                     const std::function<double(double)>& bound);

/// epsilon(delta) = min_a rdp(a) + log(1-1/a) - (log delta + log a)/(a-1) (Canonne, Kamath, Steinke
/// 2020), at least 0.
Result renyi_epsilon(const Composition& composition, double delta,
                     Orders orders = Orders::standard);

/// delta(epsilon) = min_a exp((a-1)(rdp(a) - epsilon)) (1-1/a)^a/(a-1), at most 1.
Result renyi_delta(const Composition& composition, double epsilon,
                   Orders orders = Orders::standard);

}  // namespace trilemma::accounting
