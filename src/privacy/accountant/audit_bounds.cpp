#include "privacy/accountant/audit_bounds.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

void require_between(double value, double low, double high, const char* sentence) {
  if (!(value >= low && value <= high)) throw std::invalid_argument(sentence);
}

void validate_level(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw std::invalid_argument("confidence must be between 0 and 1");
}

void validate(const OneRun& run) {
  require_between(run.canaries, 1, 1e15, "canaries must be at least 1");
  require_between(run.guesses, 0, run.canaries, "guesses must be at most the canaries");
  require_between(run.correct, 0, run.guesses, "correct must be at most the guesses");
}

// Returns the logarithm of P[Binomial(trials, e^epsilon/(1+e^epsilon)) = w].
double log_mass(double trials, double w, double epsilon) {
  const double ways = boost::math::lgamma(trials + 1) - boost::math::lgamma(w + 1) -
                      boost::math::lgamma(trials - w + 1);
  // log p = -log(1 + e^-epsilon) and log(1-p) = log p - epsilon.
  return ways - trials * std::log1p(std::exp(-epsilon)) - (trials - w) * epsilon;
}

}  // namespace

double clopper_pearson_upper(double successes, double trials, double confidence) {
  validate_level(confidence);
  require_between(trials, 1, 1e15, "trials must be at least 1");
  require_between(successes, 0, trials, "successes must be at most the trials");
  if (successes == trials) return 1;
  return boost::math::ibeta_inv(successes + 1, trials - successes, confidence);
}

ErrorLimits error_limits(double false_positives, double absent_runs, double false_negatives,
                         double present_runs, double confidence) {
  const double each = 1 - 0.5 * (1 - confidence);
  return {clopper_pearson_upper(false_positives, absent_runs, each),
          clopper_pearson_upper(false_negatives, present_runs, each)};
}

double epsilon_lower_bound(const ErrorLimits& limits, double delta) {
  validate_delta(delta);
  auto bound = [delta](double error, double other) {
    const double power = 1 - delta - other;
    return power > 0 ? std::log(power / error) : -inf;
  };
  return std::max({0.0, bound(limits.false_positive, limits.false_negative),
                   bound(limits.false_negative, limits.false_positive)});
}

double mu_lower_bound(const ErrorLimits& limits) {
  if (limits.false_positive >= 1 || limits.false_negative >= 1) return 0;
  return std::max(0.0, normal_upper_quantile(limits.false_positive) +
                           normal_upper_quantile(limits.false_negative));
}

double gaussian_epsilon(double mu, double delta) {
  validate_delta(delta);
  if (!(mu > 0)) return 0;
  return one_step_epsilon({{DominatingPair::Kind::remove, 1, 1 / mu}}, delta).low;
}

// With t of nu degrees of freedom, nu / (nu + t^2) has the law Beta(nu/2, 1/2).
double mean_half_width(double variance, double count, double confidence) {
  const double freedom = count - 1;
  const double x = boost::math::ibeta_inv(freedom / 2, 0.5, 1 - confidence);
  return std::sqrt(freedom * (1 - x) / x * variance / count);
}

double one_run_p_value(const OneRun& run, double epsilon, double delta) {
  validate(run);
  validate_epsilon(epsilon);
  if (run.correct == 0) return 1;
  double tail = -inf;
  for (double w = run.correct; w <= run.guesses; ++w)
    tail = log_add(tail, log_mass(run.guesses, w, epsilon));
  double below = -inf;  // P[v-i <= W < v]
  double most = -inf;   // its largest value, divided by i, over all i
  for (double i = 1; i <= run.correct; ++i) {
    below = log_add(below, log_mass(run.guesses, run.correct - i, epsilon));
    most = std::max(most, below - std::log(i));
  }
  if (delta > 0) tail = log_add(tail, std::log(2 * run.canaries * delta) + most);
  return std::min(1.0, std::exp(tail));
}

double one_run_epsilon(const OneRun& run, double delta, double confidence) {
  validate_level(confidence);
  const double level = 1 - confidence;
  auto refuted = [&](double epsilon) { return one_run_p_value(run, epsilon, delta) < level; };
  if (!refuted(0)) return 0;
  double low = 0;
  double high = 1;
  while (refuted(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (refuted(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace trilemma::accounting
