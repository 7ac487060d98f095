#include "privacy/accountant/local_pair.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {
namespace {

constexpr double most_epsilon = 100;
constexpr double most_steps = 1e7;
// Returns a bound on the relative error of a mass, the product of up to `steps` ratios whose
// logarithms are added in long double.
double rounding(double steps) { return 1e-15 * (10 + steps * std::sqrt(steps)); }

void check_pair(const LocalPair& pair, double steps) {
  if (!(pair.epsilon > 0 && pair.epsilon <= most_epsilon))
    throw std::invalid_argument("epsilon = " + shown(pair.epsilon) +
                                ": of a message must be above 0 and at most 100");
  if (!(pair.zero >= 0 && pair.zero < 1))
    throw std::invalid_argument("zero = " + shown(pair.zero) + ": must be from 0 to below 1");
  if (!(steps >= 1 && steps <= most_steps) || steps != std::floor(steps))
    throw std::invalid_argument("steps = " + shown(steps) + ": must be an integer from 1 to 1e7");
}

}  // namespace

LocalPair response_pair(double epsilon, double values) {
  return {epsilon, (values - 2) / (std::exp(epsilon) + values - 1)};
}

LocalComposition::LocalComposition(const LocalPair& pair, double steps)
    : total_(steps * pair.epsilon), step_(pair.zero > 0 ? pair.epsilon : 2 * pair.epsilon) {
  check_pair(pair, steps);
  const double up = (1 - pair.zero) / (1 + std::exp(-pair.epsilon));
  const double down = up * std::exp(-pair.epsilon);
  long double log_mass = steps * std::log(static_cast<long double>(up));
  mass_.push_back(static_cast<double>(std::exp(log_mass)));
  // Without the loss 0, every second coefficient vanishes and the others are binomial.
  const double last = pair.zero > 0 ? steps : std::floor(steps / 2);
  double ratio = 0;
  for (double j = 1; j <= last; ++j) {
    if (pair.zero > 0)
      ratio = (pair.zero * (steps - j + 1) + (j > 1 ? down * (2 * steps - j + 2) / ratio : 0)) /
              (up * j);
    else
      ratio = down * (steps - j + 1) / (up * j);
    log_mass += std::log(static_cast<long double>(ratio));
    mass_.push_back(static_cast<double>(std::exp(log_mass)));
  }
  // The masses of losses l and -l have the ratio e^l, and all together are 1.
  double sum = 0;
  for (std::size_t k = 0; k < mass_.size(); ++k)
    sum += mass_[k] * (loss(k) > 0 ? 1 + std::exp(-loss(k)) : 1);
  for (double& mass : mass_) mass *= (1 + rounding(steps)) / sum;
}

double LocalComposition::loss(std::size_t k) const {
  return std::max(0.0, total_ - static_cast<double>(k) * step_);
}

double LocalComposition::delta(double epsilon) const {
  double sum = 0;
  for (std::size_t k = 0; k < mass_.size() && loss(k) > epsilon; ++k)
    sum += mass_[k] * -std::expm1(epsilon - loss(k));
  return std::min(sum, 1.0);
}

// Moves down from the largest loss. At a loss l, D is delta(l), and S the sum over the masses at l
// and beyond, each times exp(l - its loss); so delta(l - s) = D + (1 - e^-s) S up to the next loss
// below.
double LocalComposition::epsilon(double delta) const {
  if (delta <= 0) return total_;
  const double decay = std::exp(-step_);
  double d = 0;
  double s = 0;
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    s = decay * s + mass_[k];
    const double below = std::min(step_, loss(k));
    const double next = d - std::expm1(-below) * s;
    if (next > delta) return std::max(0.0, loss(k) + std::log1p(-(delta - d) / s));
    d = next;
  }
  return 0;
}

double message_epsilon(const std::function<LocalPair(double)>& pair, double steps, double epsilon,
                       double delta) {
  if (steps == 1) return epsilon;
  const auto slack = [&](double one) {
    return epsilon - LocalComposition(pair(one), steps).epsilon(delta);
  };
  double low = epsilon / steps;
  const double at_low = slack(low);
  if (delta <= 0 || at_low <= 0) return low;
  double high = 2 * low;
  while (high < most_epsilon && slack(high) > 0) {
    low = high;
    high = std::min(2 * high, most_epsilon);
  }
  const double at_high = slack(high);
  if (at_high > 0) return high;
  return narrow(slack, {low, high}, slack(low), at_high, 1e-9, 60).low;
}

}  // namespace trilemma::accounting
