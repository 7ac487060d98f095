#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>

#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/simple_bounds.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Largest share of the sum that may be omitted.
constexpr double tail_share = 1e-13;

// The sampled component, and the others combined into one Gaussian release.
struct Parts {
  double rate = 0, steps = 0;
  double mu_drawn = 0;  ///< (D/z)^2 of the drawn component
  double mu_always = 0;
};

Parts parts_of(const Composition& composition) {
  const double distance = composition.relation == Relation::replace_one ? 2 : 1;
  Parts parts;
  for (const auto& c : composition.components) {
    const double mu = (distance / c.sigma) * (distance / c.sigma);
    if (c.sampling == Sampling::revealed && c.rate < 1) {
      parts.rate = c.rate;
      parts.steps = c.steps;
      parts.mu_drawn = mu;
    } else {
      parts.mu_always += c.steps * mu;
    }
  }
  return parts;
}

double log_binomial(double k, const Parts& p) {
  using boost::math::lgamma;
  return lgamma(p.steps + 1) - lgamma(k + 1) - lgamma(p.steps - k + 1) + k * std::log(p.rate) +
         (p.steps - k) * std::log1p(-p.rate);
}

double log_gauss(double mu_squared, double epsilon) {
  if (mu_squared == 0) return -inf;
  return log_delta(DominatingPair{DominatingPair::Kind::remove, 1, 1 / std::sqrt(mu_squared)},
                   epsilon);
}

// Adds terms from `k` on in steps of `by` until the remainder is small. The remainder shrinks at
// least geometrically away from the peak of Bin(k; T, q) delta_k; its bound is added to the upper
// end.
void add_terms(const Parts& p, double epsilon, double k, double by, Bracket& sum) {
  double before = inf;
  for (; k >= 0 && k <= p.steps; k += by) {
    const double weight = log_binomial(k, p);
    const double term = weight + log_gauss(k * p.mu_drawn + p.mu_always, epsilon);
    if (term == -inf && by < 0) return;
    // Upwards delta_k may still grow, but never beyond 1; downwards it decreases with k.
    const double ratio = by > 0
                             ? std::log((p.steps - k) / (k + 1)) + std::log(p.rate / (1 - p.rate))
                             : term - before;
    const double most = by > 0 ? weight : term;
    if (before < inf && ratio < -1e-12) {
      const double rest = most - std::log(-std::expm1(ratio));
      if (rest < sum.low + std::log(tail_share)) {
        sum.high = log_add(sum.high, rest);
        return;
      }
    }
    sum.low = log_add(sum.low, term);
    sum.high = log_add(sum.high, term);
    before = term;
  }
}

}  // namespace

Bracket revealed_log_delta(const Composition& composition, double epsilon) {
  const Parts p = parts_of(composition);
  Bracket sum{-inf, -inf};
  const double middle = std::floor(p.steps * p.rate);
  add_terms(p, epsilon, middle + 1, 1, sum);
  add_terms(p, epsilon, middle, -1, sum);
  // Logarithms of factorials up to 1e15 leave about ten digits of the terms.
  constexpr double rounding = 1e-9;
  return {std::min(0.0, sum.low - rounding), std::min(0.0, sum.high + rounding)};
}

Bracket revealed_epsilon(const Composition& composition, double delta) {
  const double target = std::log(delta);
  auto root = [&](auto end) {
    return falling_root(
        [&](double epsilon) { return end(revealed_log_delta(composition, epsilon)) - target; }, 1.0,
        1e300, 1e-13);
  };
  return {root([](const Bracket& b) { return b.low; }).low,
          root([](const Bracket& b) { return b.high; }).high};
}

}  // namespace trilemma::accounting
