#include "privacy/accountant/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

[[noreturn]] void refuse(const char* field, double found, const char* wanted) {
  throw std::invalid_argument(std::string(field) + " = " + shown(found) + ": must be " + wanted);
}

// Returns (1 - e^-x) / x, and 1 at 0.
double share(double x) { return x == 0 ? 1 : -std::expm1(-x) / x; }

// Computes mean_of() with L = log(1/gamma): (1-gamma)/L times eta L/(1 - gamma^eta), divided by
// gamma.
double mean_by_log(double eta, double log_inverse) {
  return std::exp(log_inverse) * share(log_inverse) / share(eta * log_inverse);
}

bool has_fixed_size(const Composition& composition) {
  return std::any_of(composition.components.begin(), composition.components.end(),
                     [](const Component& c) { return c.sampling == Sampling::fixed_wor; });
}

// Orders of theorem 27 beyond the standard list are slow.
Orders orders_for(const Composition& composition) {
  return has_fixed_size(composition) ? Orders::standard : Orders::refined;
}

// Returns the term that the conversion to epsilon adds to a Renyi divergence of order a.
double conversion(double a, double delta) {
  return std::log1p(-1 / a) - (std::log(delta) + std::log(a)) / (a - 1);
}

Result negative_binomial(const Composition& composition, double delta, const Runs& runs) {
  const double log_inverse = -std::log(gamma_of(runs.eta, runs.mean));
  const Orders orders = orders_for(composition);
  RenyiCurve curve(composition);
  // Includes order 1, where the divergence has weight 0.
  const double choice = std::min(log_inverse, renyi_minimum(composition, orders, [&](double b) {
                                                return (1 - 1 / b) * curve.at(b) + log_inverse / b;
                                              }).value);
  Result result = renyi_minimum(composition, orders, [&](double a) {
    return curve.at(a) + std::log(runs.mean) / (a - 1) + conversion(a, delta);
  });
  result.value += (1 + runs.eta) * choice;
  return result;
}

// The bound of theorem 6 over a list of orders. The delta of a run at the epsilon that belongs to
// an order is computed first from Renyi divergences, at negligible cost, then by the accountant of
// the run.
class PoissonBound {
 public:
  PoissonBound(const Composition& composition, double delta, double mean, const Options& options)
      : composition_(composition), delta_(delta), mean_(mean), options_(options) {
    const auto list =
        orders_for(composition) == Orders::standard ? standard_orders() : refined_orders();
    RenyiCurve curve(composition);
    for (const double a : list) {
      orders_.push_back(a);
      renyi_.push_back(curve.at(a));
    }
  }

  Result least() {
    std::size_t best = 0;
    for (std::size_t i = 1; i < orders_.size(); ++i)
      if (rough(i) < rough(best)) best = i;
    double value = rough(best);
    if (options_.method != Method::rdp) {
      best = walk(best);
      value = fine(best);
    }
    Result result;
    result.method = options_.method == Method::rdp ? "rdp" : "rdp and " + method_;
    result.order = orders_[best];
    result.value = value;
    if (best == 0 || best + 1 == orders_.size())
      result.warnings.push_back("the best order, " + shown(orders_[best]) +
                                ", is at the end of the list: the bound may be loose");
    return result;
  }

 private:
  double value(std::size_t i, double single) const {
    const double a = orders_[i];
    return renyi_[i] + mean_ * single + std::log(mean_) / (a - 1) + conversion(a, delta_);
  }
  double epsilon_of(std::size_t i) const { return std::log1p(1 / (orders_[i] - 1)); }

  double rough(std::size_t i) const {
    double single = 1;
    for (std::size_t j = 0; j < orders_.size(); ++j) {
      const double b = orders_[j];
      single = std::min(single, std::exp((b - 1) * (renyi_[j] - epsilon_of(i)) +
                                         b * std::log1p(-1 / b) - std::log(b - 1)));
    }
    return value(i, single);
  }

  double fine(std::size_t i) {
    const auto known = fine_.find(i);
    if (known != fine_.end()) return known->second;
    const Result single = accounting::delta(composition_, epsilon_of(i), options_);
    method_ = single.method;
    return fine_[i] = value(i, single.value);
  }

  // A smaller delta of a run favours larger orders: moves up from the best rough order in growing
  // steps, then bisects.
  std::size_t walk(std::size_t best) {
    const std::size_t last = orders_.size() - 1;
    std::size_t step = 1;
    while (best < last && fine(std::min(best + step, last)) < fine(best)) {
      best = std::min(best + step, last);
      step *= 2;
    }
    for (; step > 0; step /= 2)
      for (const std::size_t other : {best - std::min(step, best), std::min(best + step, last)})
        if (fine(other) < fine(best)) best = other;
    return best;
  }

  const Composition& composition_;
  double delta_, mean_;
  const Options& options_;
  std::vector<double> orders_, renyi_;
  std::map<std::size_t, double> fine_;
  std::string method_;
};

Composition all_runs(Composition composition, const Runs& runs) {
  for (auto& c : composition.components) c.steps *= runs.mean;
  return composition;
}

// Returns whether all runs are accounted in sequence: a single run, or several that may all be
// published.
bool is_composition(const Runs& runs) {
  return runs.count == Count::composition ||
         (runs.count == Count::negative_binomial && runs.mean == 1);
}

void check(const Runs& runs, const Options& options) {
  validate(runs);
  if (!is_composition(runs) && options.method != Method::automatic && options.method != Method::rdp)
    throw UnsupportedClaim(std::string("choosing among runs is accounted by "
                                       "Renyi divergences, not by method ") +
                           name(options.method) + "; leave the method out, or use rdp");
}

}  // namespace

void validate(const Runs& runs) {
  if (!(runs.mean >= 1 && runs.mean <= 1e9)) refuse("runs", runs.mean, "a number from 1 to 1e9");
  if (runs.count == Count::composition && runs.mean != std::floor(runs.mean))
    refuse("runs", runs.mean, "a whole number where all runs are published");
  if (runs.count == Count::negative_binomial && !(runs.eta > -1 && runs.eta <= 1e6))
    refuse("eta", runs.eta, "a number above -1, at most 1e6");
}

double mean_of(double eta, double gamma) { return mean_by_log(eta, -std::log(gamma)); }

double gamma_of(double eta, double mean) {
  if (mean == 1 || eta == 1) return 1 / mean;
  // The mean increases with log(1/gamma), which is found by bisection to the last digits.
  double low = 0;
  double high = 700;
  while (high - low > 1e-14 * high) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (mean_by_log(eta, middle) >= mean ? high : low) = middle;
  }
  return std::exp(-high);
}

Result tuning_epsilon(const Composition& composition, double delta, const Runs& runs,
                      const Options& options) {
  check(runs, options);
  validate(composition);
  validate_delta(delta);
  const Composition busy = without_idle(composition);
  if (is_composition(runs) || busy.components.empty() || delta == 0)
    return epsilon(all_runs(busy, runs), delta, options);
  Result result = runs.count == Count::poisson
                      ? PoissonBound(busy, delta, runs.mean, options).least()
                      : negative_binomial(busy, delta, runs);
  result.value = result.upper = std::max(0.0, result.value);
  if (std::isinf(result.value)) result.status = Status::unbounded;
  if (result.status == Status::ok && result.value > meaningless_above)
    result.status = Status::no_meaningful_privacy;
  judge_delta(result, delta, options.units);
  return result;
}

Result calibrate_tuning(const Composition& composition, double target, double delta,
                        const Runs& runs, const Options& options) {
  check(runs, options);
  if (is_composition(runs) || without_idle(composition).components.empty())
    return calibrate_noise(all_runs(composition, runs), target, delta, options);
  Options quick = options;
  quick.method = Method::rdp;
  auto by = [&](const Options& how) {
    return
        [&runs, delta, how](const Composition& c) { return tuning_epsilon(c, delta, runs, how); };
  };
  return calibrate_noise(composition, target, delta, by(quick), by(options));
}

}  // namespace trilemma::accounting
