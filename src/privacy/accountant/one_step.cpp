#include "privacy/accountant/one_step.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// With x the point of loss epsilon and E(v) = erfcx(v/(z sqrt2)), the common exponentials of the
// tails cancel, since P/Q = e^epsilon at x. Only sums of positive terms are left:
//   remove   (q/2) exp(-(x-1)^2/(2z^2)) (E(x-1) - E(x))
//   add      (q/2) exp(epsilon - (x+1)^2/(2z^2)) (E(x) - E(x+1))
//   replace  both
double scaled_form(const DominatingPair& pair, double epsilon, double x) {
  const double z = pair.sigma();
  auto scaled = [z](double v) { return erfcx(v / z * sqrt_half); };
  auto square = [z](double v) { return 0.5 * (v / z) * (v / z); };
  const double common = std::log(0.5 * pair.rate());
  double sum = -inf;
  if (pair.kind() != DominatingPair::Kind::add)
    sum = common - square(x - 1) + std::log(scaled(x - 1) - scaled(x));
  if (pair.kind() != DominatingPair::Kind::remove)
    sum = log_add(sum, common + epsilon - square(x + 1) + std::log(scaled(x) - scaled(x + 1)));
  return sum;
}

// Evaluates the definition, for points at which erfcx overflows: delta is not small there.
double plain_form(const DominatingPair& pair, double epsilon, double x) {
  const double z = pair.sigma();
  const double q = pair.rate();
  const bool add = pair.kind() == DominatingPair::Kind::add;
  const bool remove = pair.kind() == DominatingPair::Kind::remove;
  const double at_zero = log_normal_cdf(-x / z);
  const double log_p =
      add ? at_zero : log_add(std::log1p(-q) + at_zero, std::log(q) + log_normal_cdf((1 - x) / z));
  const double log_q =
      remove ? at_zero
             : log_add(std::log1p(-q) + at_zero, std::log(q) + log_normal_cdf((-1 - x) / z));
  return log_subtract(log_p, epsilon + log_q);
}

}  // namespace

double log_delta(const DominatingPair& pair, double epsilon) {
  if (pair.kind() == DominatingPair::Kind::subset) {
    const DominatingPair::Kind side =
        epsilon < 0 ? DominatingPair::Kind::add : DominatingPair::Kind::remove;
    return log_delta({side, pair.rate(), pair.sigma()}, epsilon);
  }
  const double x = pair.where(epsilon);
  if (x == inf) return -inf;
  const bool scaled = (x - 1) / pair.sigma() > -7;
  return std::min(0.0, scaled ? scaled_form(pair, epsilon, x) : plain_form(pair, epsilon, x));
}

double log_delta(const std::vector<DominatingPair>& pairs, double epsilon) {
  double most = -inf;
  for (const auto& pair : pairs) most = std::max(most, log_delta(pair, epsilon));
  return most;
}

Bracket one_step_epsilon(const std::vector<DominatingPair>& pairs, double delta) {
  const double target = std::log(delta);
  return falling_root([&](double epsilon) { return log_delta(pairs, epsilon) - target; }, 1.0,
                      1e300, 1e-14);
}

std::vector<DominatingPair> pairs_of(Relation relation, const Component& component) {
  const double rate = component.rate;
  const double sigma = component.sigma;
  if (component.sampling == Sampling::fixed_wor && rate < 1)
    return {{DominatingPair::Kind::subset, rate, sigma / 2}};  // contributions up to 2 apart
  if (relation == Relation::replace_one) return {{DominatingPair::Kind::replace, rate, sigma}};
  if (rate == 1) return {{DominatingPair::Kind::remove, rate, sigma}};
  return {{DominatingPair::Kind::remove, rate, sigma}, {DominatingPair::Kind::add, rate, sigma}};
}

DominatingPair gaussian_pair(const Composition& composition) {
  const double distance = composition.relation == Relation::replace_one ? 2 : 1;
  double mu_squared = 0;
  for (const auto& c : composition.components)
    mu_squared += c.steps * (distance / c.sigma) * (distance / c.sigma);
  return {DominatingPair::Kind::remove, 1, 1 / std::sqrt(mu_squared)};
}

}  // namespace trilemma::accounting
