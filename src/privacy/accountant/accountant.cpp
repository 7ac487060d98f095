#include "privacy/accountant/accountant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/saddle_point.hpp"
#include "privacy/accountant/simple_bounds.hpp"

namespace trilemma::accounting {
namespace {

constexpr double least_grid_delta = 1e-280;

bool plain(const Composition& composition) {
  return std::all_of(
      composition.components.begin(), composition.components.end(),
      [](const Component& c) { return c.sampling == Sampling::none || c.rate == 1; });
}

bool has(const Composition& composition, Sampling sampling) {
  return std::any_of(
      composition.components.begin(), composition.components.end(),
      [sampling](const Component& c) { return c.sampling == sampling && c.rate < 1; });
}

Method choose(const Composition& composition) {
  if (plain(composition)) return Method::gaussian;
  if (has(composition, Sampling::revealed)) return Method::revealed;
  const auto& parts = composition.components;
  return parts.size() == 1 && parts[0].steps == 1 ? Method::one_step : Method::pld;
}

void check(const Composition& composition, Method method) {
  const bool single = composition.components.size() == 1 && composition.components[0].steps == 1;
  if (method == Method::gaussian && !plain(composition))
    throw UnsupportedClaim("method gaussian is for releases without sampling; use pld or rdp");
  if (method == Method::one_step && !single)
    throw UnsupportedClaim("method one_step is for a single release; use pld or rdp");
  if (has(composition, Sampling::revealed) != (method == Method::revealed) && method != Method::rdp)
    throw UnsupportedClaim(std::string("method ") + name(method) +
                           (method == Method::revealed ? " is for revealed sampling"
                                                       : " does not know revealed sampling") +
                           "; leave the method out");
  if (has(composition, Sampling::fixed_wor) && method == Method::saddle_point)
    throw UnsupportedClaim(
        "method saddle_point is not made for fixed_wor sampling, whose loss has an "
        "atom; use pld or rdp");
}

// Returns the dominating pairs of a composition that consists of one release.
std::vector<DominatingPair> release(const Composition& composition, Method method) {
  if (method == Method::gaussian) return {gaussian_pair(composition)};
  return pairs_of(composition.relation, composition.components[0]);
}

Result exact(Bracket bracket, Method method) {
  Result result;
  result.method = name(method);
  result.lower = bracket.low;
  result.value = result.upper = bracket.high;
  return result;
}

// Returns exp(log_value), but at least the smallest positive number: a nonzero probability must not
// be reported as 0.
double positive_exp(double log_value) {
  return std::max(std::exp(log_value), std::numeric_limits<double>::denorm_min());
}

// Returns a lower bound on epsilon: the largest cost of any single release.
double single_release(const Composition& composition, double delta) {
  double most = 0;
  for (const auto& c : composition.components)
    most = std::max(most, one_step_epsilon(pairs_of(composition.relation, c), delta).low);
  return most;
}

// Returns the smaller of two upper bounds, with the larger of their lower bounds.
Result tighter(const Result& a, const Result& b) {
  Result result = b.value < a.value ? b : a;
  result.lower = std::min(std::max(a.lower, b.lower), result.value);
  return result;
}

// Combines the bounds of a grid with all other valid bounds, and reports bounds that lie far apart.
// `simple` gives the closed forms, including the slow ones on request; `tolerance` is the requested
// width.
template <class Simple>
Result smallest(const Result& grid, const Result& renyi, double tolerance, const Simple& simple) {
  Result result = tighter(tighter(grid, renyi), simple(false));
  if (width(result) > std::max(loose_above, tolerance)) result = tighter(result, simple(true));
  const bool loose = width(result) > loose_above;
  if (loose)
    result.warnings.push_back("the bounds remain apart by a share of " + shown(width(result)) +
                              " of the value");
  result.status = !loose                             ? Status::ok
                  : grid.status == Status::precision ? Status::precision
                                                     : Status::not_converged;
  return result;
}

// Returns an infinite result without points: a grid is not worth computing for an epsilon far
// beyond any use.
Result hopeless() {
  Result result;
  result.method = "pld";
  result.value = result.upper = std::numeric_limits<double>::infinity();
  return result;
}

Result idle() {
  Result result;
  result.method = "none";
  result.warnings.push_back("nothing is released");
  return result;
}

}  // namespace

double width(const Result& result) {
  const bool known = result.upper > 0 && std::isfinite(result.upper);
  return known ? 1 - result.lower / result.upper : 0;
}

const char* name(Method method) {
  switch (method) {
    case Method::automatic:
      return "automatic";
    case Method::gaussian:
      return "gaussian";
    case Method::one_step:
      return "one_step";
    case Method::pld:
      return "pld";
    case Method::rdp:
      return "rdp";
    case Method::saddle_point:
      return "saddle_point";
    case Method::revealed:
      return "revealed";
  }
  return "";
}

void judge_delta(Result& result, double delta, double units) {
  if (!(units > 0) || delta * units < 0.1) return;
  const std::string product = "delta times the number of units is " + shown(delta * units);
  result.warnings.push_back(delta * units >= 1
                                ? "delta_too_large: " + product +
                                      ": publishing one unit at random would satisfy it"
                                : product + "; it should be well below 1");
}

namespace {

// Returns the composition with as many steps as may be of full size, of those that a bound on the
// norm limits in each round, or with all if `all`.
Composition of_full_size(Composition composition, bool all) {
  for (auto& c : composition.components) {
    // kappa^2 may exceed the steps of a round by rounding only.
    const double full = std::floor(c.steps / c.rounds / (c.range * c.range) * (1 + 1e-12));
    if (!all && c.range > 1) c.steps = c.rounds * std::max(1.0, full);
    c.range = 1;
  }
  return composition;
}

// Returns the smaller of `all`, the bound on steps of full size, and the Renyi bound `renyi`, which
// uses the bound on the norm. `least` is the cost of the steps that can be of full size.
Result within_range(const Result& all, const Result& renyi, const Result& least) {
  Result result = renyi.value < all.value ? renyi : all;
  result.lower = std::min(least.lower, result.value);
  return result;
}

}  // namespace

Result epsilon(const Composition& composition, double delta, const Options& options) {
  validate(composition);
  validate_delta(delta);
  const Composition busy = without_idle(composition);
  if (busy.components.empty()) return idle();
  if (has_range(busy) && options.method == Method::automatic && delta > 0)
    return within_range(epsilon(of_full_size(busy, true), delta, options),
                        renyi_epsilon(busy, delta, Orders::refined),
                        epsilon(of_full_size(busy, false), delta, options));
  Result result;
  const Method method = options.method == Method::automatic ? choose(busy) : options.method;
  check(busy, method);
  if (delta == 0) {
    result.method = name(method);
    result.value = result.lower = result.upper = std::numeric_limits<double>::infinity();
    result.status = Status::unbounded;
    return result;
  }
  switch (method) {
    case Method::gaussian:
    case Method::one_step:
      result = exact(one_step_epsilon(release(busy, method), delta), method);
      break;
    case Method::revealed:
      result = exact(revealed_epsilon(busy, delta), method);
      break;
    case Method::saddle_point:
      result = saddle_point_epsilon(busy, delta);
      break;
    case Method::rdp:
      result = renyi_epsilon(busy, delta, options.orders);
      break;
    default: {
      const Result renyi = renyi_epsilon(busy, delta, Orders::refined);
      // The Renyi bound of fixed-size samples may lie far above the others.
      const bool is_hopeless =
          renyi.value >= hopeless_above &&
          simple_epsilon(busy, delta, /*thorough=*/true).value >= hopeless_above;
      Result grid = is_hopeless ? hopeless() : pld_epsilon(busy, delta, options.effort);
      const double least = single_release(busy, delta);
      if (grid.value < least * (1 - 1e-9)) {
        grid = hopeless();
        grid.status = Status::precision;
      }
      grid.lower = std::max(grid.lower, least);
      result = smallest(grid, renyi, options.effort.tolerance,
                        [&](bool thorough) { return simple_epsilon(busy, delta, thorough); });
    }
  }
  if (result.value > meaningless_above && std::isfinite(result.value))
    result.status = Status::no_meaningful_privacy;
  judge_delta(result, delta, options.units);
  return result;
}

Result delta(const Composition& composition, double epsilon, const Options& options) {
  validate(composition);
  validate_epsilon(epsilon);
  const Composition busy = without_idle(composition);
  if (busy.components.empty()) return idle();
  if (has_range(busy) && options.method == Method::automatic)
    return within_range(delta(of_full_size(busy, true), epsilon, options),
                        renyi_delta(busy, epsilon, Orders::refined),
                        delta(of_full_size(busy, false), epsilon, options));
  const Method method = options.method == Method::automatic ? choose(busy) : options.method;
  check(busy, method);
  switch (method) {
    case Method::gaussian:
    case Method::one_step: {
      const double value = positive_exp(log_delta(release(busy, method), epsilon));
      return exact({value, value}, method);
    }
    case Method::revealed: {
      const Bracket found = revealed_log_delta(busy, epsilon);
      return exact({std::exp(found.low), positive_exp(found.high)}, method);
    }
    case Method::saddle_point: {
      const double value = std::exp(saddle_point_log_delta(busy, epsilon));
      Result result = exact({value, value}, method);
      result.certified = false;
      if (std::isnan(value)) {
        result = renyi_delta(busy, epsilon, options.orders);
        result.status = Status::not_converged;
      }
      return result;
    }
    case Method::rdp:
      return renyi_delta(busy, epsilon, options.orders);
    default: {
      const Result renyi = renyi_delta(busy, epsilon, Orders::refined);
      // A grid cannot represent a delta smaller than the probability that it cuts off.
      if (renyi.value < least_grid_delta) return renyi;
      Result found =
          smallest(pld_delta(busy, epsilon, options.effort), renyi, options.effort.tolerance,
                   [&](bool thorough) { return simple_delta(busy, epsilon, thorough); });
      found.value = found.upper = std::max(found.value, std::numeric_limits<double>::denorm_min());
      return found;
    }
  }
}

}  // namespace trilemma::accounting
