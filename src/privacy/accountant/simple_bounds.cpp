#include "privacy/accountant/simple_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Returns the probability that the unit is drawn in some release, rounded up.
double drawn_at_all(const Composition& composition) {
  double log_never = 0;
  for (const auto& c : composition.components) log_never += c.steps * std::log1p(-c.rate);
  return std::min(1.0, -std::expm1(log_never) * (1 + 1e-12));
}

Composition changed(Composition composition, Sampling sampling) {
  for (auto& c : composition.components) {
    if (sampling == Sampling::none) c.rate = 1;
    c.sampling = c.rate < 1 ? sampling : Sampling::none;
  }
  return composition;
}

// Known draws are accounted where only one component is drawn, and few enough times for the sum
// over the number of draws to be fast.
bool has_sum_over_draws(const Composition& composition) {
  constexpr double most_draws = 1e5;
  int drawn = 0;
  double draws = 0;
  for (const auto& c : composition.components) {
    if (c.rate == 1) continue;
    ++drawn;
    draws += c.steps * c.rate;
  }
  return drawn == 1 && draws <= most_draws;
}

Result bound(double value, const char* method) {
  Result result;
  result.value = result.upper = value;
  result.method = method;
  return result;
}

void take_smaller(Result& result, const Result& other) {
  if (other.value < result.value) result = other;
}

}  // namespace

Result simple_epsilon(const Composition& composition, double delta, bool thorough) {
  if (drawn_at_all(composition) <= delta) return bound(0, "never_drawn");
  const DominatingPair everybody = gaussian_pair(changed(composition, Sampling::none));
  Result result = bound(one_step_epsilon({everybody}, delta).high, "gaussian");
  if (thorough && has_sum_over_draws(composition))
    take_smaller(
        result,
        bound(revealed_epsilon(changed(composition, Sampling::revealed), delta).high, "revealed"));
  return result;
}

Result simple_delta(const Composition& composition, double epsilon, bool thorough) {
  Result result = bound(drawn_at_all(composition), "never_drawn");
  const DominatingPair everybody = gaussian_pair(changed(composition, Sampling::none));
  take_smaller(result, bound(std::exp(log_delta(everybody, epsilon)), "gaussian"));
  if (thorough && has_sum_over_draws(composition))
    take_smaller(
        result,
        bound(std::exp(revealed_log_delta(changed(composition, Sampling::revealed), epsilon).high),
              "revealed"));
  return result;
}

}  // namespace trilemma::accounting
