#include "privacy/accountant/accountant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/accountant/contour.hpp"
#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/revealed.hpp"

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
    throw UnsupportedClaim(
        "unsupported_claim: method gaussian is for releases without sampling; use pld or rdp");
  if (method == Method::one_step && !single)
    throw UnsupportedClaim(
        "unsupported_claim: method one_step is for a single release; use pld or rdp");
  if (has(composition, Sampling::revealed) != (method == Method::revealed) && method != Method::rdp)
    throw UnsupportedClaim(std::string("unsupported_claim: method ") + name(method) +
                           (method == Method::revealed ? " is for revealed sampling"
                                                       : " does not know revealed sampling") +
                           "; leave the method out");
  if (has(composition, Sampling::fixed_wor) && method == Method::contour)
    throw UnsupportedClaim(
        "unsupported_claim: method contour is not made for fixed_wor sampling, whose loss has an "
        "atom; use pld or rdp");
}

// The pairs of a composition that is one release.
std::vector<Pair> release(const Composition& composition, Method method) {
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

// A probability that is not zero must not be claimed to be.
double positive_exp(double log_value) {
  return std::max(std::exp(log_value), std::numeric_limits<double>::denorm_min());
}

// What any single release costs alone is spent in any case.
double single_release(const Composition& composition, double delta) {
  double most = 0;
  for (const auto& c : composition.components)
    most = std::max(most, one_step_epsilon(pairs_of(composition.relation, c), delta).low);
  return most;
}

// Takes the Renyi bound where the other one could not be finished.
Result fall_back(Result result, const Result& renyi) {
  const bool sound =
      result.status != Status::precision && result.lower >= 0 && result.lower <= result.value;
  if (sound && (result.value <= renyi.value || result.warnings.empty())) return result;
  Result other = renyi;
  other.lower = sound ? result.lower : 0;
  other.status = result.status == Status::ok ? Status::not_converged : result.status;
  other.warnings.push_back("method " + result.method +
                           " did not converge; the value is the RDP bound");
  return other;
}

Result idle() {
  Result result;
  result.method = "none";
  result.warnings.push_back("nothing is released");
  return result;
}

}  // namespace

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
    case Method::contour:
      return "contour";
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

Result epsilon(const Composition& composition, double delta, const Options& options) {
  validate(composition);
  validate_delta(delta);
  const Composition busy = without_idle(composition);
  if (busy.components.empty()) return idle();
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
    case Method::contour:
      result = contour_epsilon(busy, delta);
      break;
    case Method::rdp:
      result = renyi_epsilon(busy, delta, options.orders);
      break;
    default: {
      result = renyi_epsilon(busy, delta, Orders::refined);
      if (result.value < hopeless_above) {
        Result found = pld_epsilon(busy, delta, options.effort);
        if (found.value < single_release(busy, delta) * (1 - 1e-9))
          found.status = Status::precision;
        result = fall_back(found, result);
      }
    }
  }
  if (result.status == Status::ok && result.value > meaningless_above)
    result.status = Status::no_meaningful_privacy;
  judge_delta(result, delta, options.units);
  return result;
}

Result delta(const Composition& composition, double epsilon, const Options& options) {
  validate(composition);
  validate_epsilon(epsilon);
  const Composition busy = without_idle(composition);
  if (busy.components.empty()) return idle();
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
    case Method::contour: {
      const double value = std::exp(contour_log_delta(busy, epsilon));
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
      // A grid cannot hold what is smaller than every cut of the line.
      if (renyi.value < least_grid_delta) return renyi;
      Result found = fall_back(pld_delta(busy, epsilon, options.effort), renyi);
      found.value = found.upper = std::max(found.value, std::numeric_limits<double>::denorm_min());
      return found;
    }
  }
}

}  // namespace trilemma::accounting
