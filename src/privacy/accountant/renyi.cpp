#include "privacy/accountant/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Sum of exp(log terms), stored relative to the largest term so far.
class LogSum {
 public:
  void add(double log_term) {
    if (log_term <= peak_) {
      sum_ += std::exp(log_term - peak_);
    } else {
      sum_ = sum_ * std::exp(peak_ - log_term) + 1;
      peak_ = log_term;
    }
  }
  double value() const { return peak_ == -inf ? -inf : peak_ + std::log(sum_); }

 private:
  double peak_ = -inf;
  double sum_ = 0;
};

// Returns log((1+u)^a - 1 - a u) from l = log(1+u); for small u by the binomial series from u^2 on.
double log_convex_part(double a, double l, double u) {
  if (std::abs(u) < 1e-3 && std::abs(a * u) < 0.3) {
    double term = 0.5 * a * (a - 1) * u * u;
    double sum = term;
    for (int k = 3; k <= 16; ++k) {
      term *= (a - k + 1) / k * u;
      sum += term;
    }
    return std::log(sum);
  }
  const double power = a * l;
  if (power > 40) return power + std::log1p(-(1 + a * std::expm1(l)) * std::exp(-power));
  return std::log(std::expm1(power) - a * std::expm1(l));
}

// Below this noise the strip in which the integrand is smooth is too narrow for the trapezoid rule,
// and epsilon is useless anyway: the convexity bound E_Q[((1-q) + q r)^a] <= (1-q) + q E[r^a] is
// used instead.
constexpr double least_noise = 0.08;

double log_convexity_bound(const DominatingPair& pair, double order) {
  const double z = pair.sigma();
  const double distance = pair.kind() == DominatingPair::Kind::replace ? 2 : 1;
  const double log_power = order * (order - 1) * distance * distance / (2 * z * z);
  return log_add(std::log1p(-pair.rate()), std::log(pair.rate()) + log_power);
}

struct Grid {
  double first, last, step;
};

// Returns nodes for E_Q[(P/Q)^a ...]: the integrand is a mixture of Gaussians of width z with means
// between the extremes of both factors, and analytic in a strip of half width pi z^2.
Grid grid(const DominatingPair& pair, double a) {
  const double z = pair.sigma();
  const bool both = pair.kind() == DominatingPair::Kind::replace;
  const double far = both ? std::abs(2 * a - 1) + 1 : std::max(std::abs(a), 1.0);
  const double reach = 14 * z;
  return {(a < 0 ? -far : -1.0) - reach, far + reach,
          std::min(z / 8, std::numbers::pi * z * z / 12)};
}

double log_node_weight(const DominatingPair& pair, double step) {
  return std::log(step / (pair.sigma() * std::sqrt(2 * std::numbers::pi)));
}

}  // namespace

double renyi(const DominatingPair& pair, double order) {
  const double z = pair.sigma();
  if (pair.rate() == 1)
    return order * (pair.kind() == DominatingPair::Kind::replace ? 4 : 1) / (2 * z * z);
  if (z < least_noise) return log_convexity_bound(pair, order) / (order - 1);
  const Grid nodes = grid(pair, order);
  LogSum sum;
  const auto count = static_cast<long>((nodes.last - nodes.first) / nodes.step) + 1;
  for (long i = 0; i <= count; ++i) {
    const double x = nodes.first + static_cast<double>(i) * nodes.step;
    const double term =
        pair.log_density_q(x) + log_convex_part(order, pair.loss(x), pair.excess(x));
    if (term > -inf) sum.add(term);
  }
  const double log_excess = sum.value() + log_node_weight(pair, nodes.step);
  return (log_excess > 30 ? log_excess : std::log1p(std::exp(log_excess))) / (order - 1);
}

namespace {

// Returns log max(E[w^a], E[w^(1-a)]) under N(0, z^2), w = 1 + q (m - 1) with m(x) = exp(-1 / (2
// z^2)) cosh(x / z^2), the density of a random sign relative to none.
double log_moment_at_zero(double rate, double z, int order) {
  // Beyond pi z^2 / 2 from the real line w has zeros.
  const double step = std::min(z / 8, std::numbers::pi * z * z / 24);
  const double last = order + 14 * z;
  LogSum sums[2];
  for (auto i = -static_cast<long>(last / step); static_cast<double>(i) * step <= last; ++i) {
    const double x = static_cast<double>(i) * step;
    const double t = 1 / (z * z);
    const double u = 0.5 * rate * (std::expm1((x - 0.5) * t) + std::expm1((-x - 0.5) * t));
    const double l = std::log1p(u), log_density = -0.5 * x * x * t;
    sums[0].add(log_density + log_convex_part(order, l, u));
    sums[1].add(log_density + log_convex_part(1 - order, l, u));
  }
  const double weight = std::log(step / (z * std::sqrt(2 * std::numbers::pi)));
  const double excess = std::max(sums[0].value(), sums[1].value()) + weight;
  return excess > 30 ? excess : std::log1p(std::exp(excess));
}

// Returns log(s e^a + (1-s) e^b) for 0 < s < 1, without cancellation where both are small.
double log_mean(double s, double a, double b) {
  if (a > 1 || b > 1) return log_add(std::log(s) + a, std::log1p(-s) + b);
  return std::log1p(s * std::expm1(a) + (1 - s) * std::expm1(b));
}

}  // namespace

SignsRenyi::SignsRenyi(Relation relation, const Component& c)
    : pair_(relation == Relation::replace_one ? DominatingPair::Kind::replace
                                              : DominatingPair::Kind::remove,
            c.rate, c.sigma),
      share_(1 / (c.range * c.range)) {}

double SignsRenyi::log_moment(int order) {
  if (order == 1) return 0;
  const auto [found, is_new] = log_moment_.try_emplace(order);
  if (!is_new) return found->second;
  const double at_end = (order - 1) * renyi(pair_, order);
  if (pair_.sigma() < least_noise) return found->second = at_end;
  const double at_zero = pair_.kind() == DominatingPair::Kind::replace
                             ? 0
                             : log_moment_at_zero(pair_.rate(), pair_.sigma(), order);
  return found->second = log_mean(share_, at_end, at_zero);
}

double SignsRenyi::at(double order) {
  const int below = static_cast<int>(std::floor(order));
  const double part = order - below;
  const double low = log_moment(below);
  return (part == 0 ? low : low + part * (log_moment(below + 1) - low)) / (order - 1);
}

double RevealedRenyi::at(double order) const {
  const double power = order * (order - 1) / (2 * distance_sigma * distance_sigma);
  return log_add(std::log1p(-rate), std::log(rate) + power) / (order - 1);
}

RenyiCurve::RenyiCurve(const Composition& composition) {
  for (const auto& c : composition.components) {
    if (c.range > 1)
      parts_.push_back({c.steps, SignsRenyi(composition.relation, c)});
    else if (c.sampling == Sampling::fixed_wor && c.rate < 1)
      parts_.push_back({c.steps, FixedSizeRenyi(c.rate, c.sigma / 2)});
    else if (c.sampling == Sampling::revealed && c.rate < 1)
      parts_.push_back({c.steps, RevealedRenyi{c.rate, composition.relation == Relation::replace_one
                                                           ? c.sigma / 2
                                                           : c.sigma}});
    else
      parts_.push_back({c.steps, pairs_of(composition.relation, c).front()});
  }
}

double RenyiCurve::at(double order) {
  double sum = 0;
  for (auto& part : parts_) {
    if (auto* fixed = std::get_if<FixedSizeRenyi>(&part.step))
      sum += part.steps * fixed->at(order);
    else if (auto* signs = std::get_if<SignsRenyi>(&part.step))
      sum += part.steps * signs->at(order);
    else if (auto* revealed = std::get_if<RevealedRenyi>(&part.step))
      sum += part.steps * revealed->at(order);
    else
      sum += part.steps * renyi(std::get<DominatingPair>(part.step), order);
  }
  // With noise so small that its square is 0, the divergence is unbounded.
  if (std::isnan(sum)) return inf;
  return sum;
}

}  // namespace trilemma::accounting
