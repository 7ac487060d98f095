#include "privacy/accountant/poisson_binomial.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privacy/accountant/calibrate.hpp"

namespace trilemma::accounting {
namespace {

using Law = std::vector<double>;

// Returns the law of the number of successes in K trials with probability b and n - K with a =
// 1 - b: the coefficients f of (a + b x)^K (b + a x)^(n-K), which satisfy
//
//   ab (k+1) f_{k+1} = (K b^2 + (n-K) a^2 - (a^2 + b^2) k) f_k + ab (n - k + 1) f_{k-1}.
//
// No term is negative up to the zero of the first bracket; from there on none is in the recurrence
// downwards from n, in which a and b change places. Ratios of neighbours do not underflow.
Law two_coin_law(std::size_t n, std::size_t successes, double b) {
  const double a = 1 - b;
  const auto all = static_cast<double>(n);
  const auto k = static_cast<double>(successes);
  const double sum = a * a + b * b;
  const auto climb = [&](double bracket, std::size_t steps) {
    std::vector<double> ratio(steps + 1);
    for (std::size_t j = 1; j <= steps; ++j) {
      const auto at = static_cast<double>(j - 1);
      const double before = j > 1 ? a * b * (all - at + 1) / ratio[j - 1] : 0;
      ratio[j] = (std::max(0.0, bracket - sum * at) + before) / (a * b * (at + 1));
    }
    return ratio;
  };
  const auto top =
      std::min(n, static_cast<std::size_t>(std::ceil((k * b * b + (all - k) * a * a) / sum)));
  const auto up = climb(k * b * b + (all - k) * a * a, top);
  const auto down = climb(k * a * a + (all - k) * b * b, n - top);
  Law law(n + 1);
  law[top] = 1;
  for (std::size_t j = top; j > 0; --j) law[j - 1] = law[j] / up[j];
  double value = 1;
  for (std::size_t j = top + 1; j <= n; ++j) law[j] = value /= down[n - j + 1];
  double total = 0;
  for (const double mass : law) total += mass;
  for (double& mass : law) mass /= total;
  return law;
}

// Adds a fair coin.
Law with_fair_coin(const Law& law) {
  Law sum(law.size() + 1);
  for (std::size_t k = 0; k < law.size(); ++k) {
    sum[k] += 0.5 * law[k];
    sum[k + 1] += 0.5 * law[k];
  }
  return sum;
}

void check_release(const PoissonBinomial& r) {
  const auto refuse = [](const char* field, double value, const char* wanted) {
    throw std::invalid_argument(std::string(field) + " = " + shown(value) + ": " + wanted);
  };
  const auto is_count = [](double value) { return value >= 1 && value == std::floor(value); };
  if (!is_count(r.clients)) refuse("clients", r.clients, "must be an integer above 0");
  if (!is_count(r.trials)) refuse("trials", r.trials, "must be an integer above 0");
  if (!is_count(r.dimension)) refuse("dimension", r.dimension, "must be an integer above 0");
  if (!(r.theta > 0 && r.theta < 0.5)) refuse("theta", r.theta, "must be between 0 and 1/2");
  if (r.clients * r.trials > most_trials)
    refuse("trials", r.trials,
           "the sum has more than 2^14 trials of all clients; lower it, or take fewer clients");
  if (r.relation == Relation::zero_out && r.trials > 16)
    refuse("trials", r.trials, "must be at most 16 under zero_out; lower it, or use replace_one");
  if (r.relation == Relation::add_remove)
    throw UnsupportedClaim(
        "a client that is absent takes its trials with it, and so a part of the noise; use "
        "replace_one or zero_out");
}

// Laws of the sum with client 1 and with its replacement, whose likelihood ratio increases.
struct SumPair {
  Law p, q;
};

SumPair pair_with(const PoissonBinomial& r, std::size_t successes) {
  const auto n = static_cast<std::size_t>(r.clients * r.trials);
  const auto m = static_cast<std::size_t>(r.trials);
  const double b = 0.5 + r.theta;
  SumPair pair{two_coin_law(n, successes + m, b), {}};
  if (r.relation == Relation::replace_one) {
    pair.q = two_coin_law(n, successes, b);
    return pair;
  }
  pair.q = two_coin_law(n - m, successes, b);
  for (std::size_t i = 0; i < m; ++i) pair.q = with_fair_coin(pair.q);
  return pair;
}

// Returns the pair in the other order, with sums counted from the other end.
SumPair swapped(SumPair pair) {
  std::ranges::reverse(pair.p);
  std::ranges::reverse(pair.q);
  return {std::move(pair.q), std::move(pair.p)};
}

// Returns the largest loss of a coordinate.
double largest_loss(const PoissonBinomial& r) {
  return r.trials * (std::log1p(2 * r.theta) - std::log1p(-2 * r.theta));
}

// Returns mu of the Gaussian release to which a coordinate is close.
double gaussian_mu(const PoissonBinomial& r) {
  const double shift = (r.relation == Relation::zero_out ? 1 : 2) * r.theta * r.trials;
  return shift / std::sqrt(r.clients * r.trials * (0.25 - r.theta * r.theta));
}

// Returns losses that are dense where most of the mass is, and reach beyond all of it.
std::vector<CurvePoint> grid_of(const PoissonBinomial& r) {
  constexpr double density = 40;
  const double width = gaussian_mu(r);
  const double range = std::asinh(largest_loss(r) * (1 + 1e-9) / width);
  const double count = std::ceil(density * range);
  std::vector<CurvePoint> points;
  for (double i = -count; i <= count; ++i)
    points.push_back({.loss = width * std::sinh(i / count * range)});
  return points;
}

// Raises the curve to that of a pair with an increasing likelihood ratio. Above a loss lie the sums
// from `first` on: delta = P[>= first] - t Q[>= first], and delta - 1 + t = t Q[< first] -
// P[< first].
void raise_to(const SumPair& pair, std::vector<CurvePoint>& curve) {
  const auto& [p, q] = pair;
  std::vector<double> above_p(p.size() + 1), above_q(p.size() + 1);
  for (std::size_t k = p.size(); k-- > 0;) {
    above_p[k] = above_p[k + 1] + p[k];
    above_q[k] = above_q[k + 1] + q[k];
  }
  double below_p = 0;
  double below_q = 0;
  std::size_t first = 0;
  for (CurvePoint& point : curve) {
    const double t = std::exp(point.loss);
    for (; first < p.size() && p[first] <= t * q[first]; ++first) {
      below_p += p[first];
      below_q += q[first];
    }
    point.delta = std::max(point.delta, above_p[first] - t * above_q[first]);
    point.below = std::max(point.below, t * below_q - below_p);
  }
}

// Returns the loss of P against Q, exactly.
LossAtoms exact_loss(const SumPair& pair) {
  const auto& [p, q] = pair;
  std::vector<LossAtom> atoms;
  double infinite = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] > 0 && q[k] > 0) atoms.push_back({std::log(p[k] / q[k]), p[k]});
    if (q[k] == 0) infinite += p[k];
  }
  return LossAtoms(std::move(atoms), infinite);
}

Result upper_epsilon(const PoissonBinomial& r, double steps, double delta, const Effort& effort) {
  const double times = steps * r.dimension;
  Result found = pld_epsilon({{coordinate_loss(r), times, 0}}, delta, effort);
  if (r.relation == Relation::replace_one) return found;
  const Result other = pld_epsilon({{coordinate_loss(r, true), times, 0}}, delta, effort);
  return other.value > found.value ? other : found;
}

}  // namespace

LossAtoms coordinate_loss(const PoissonBinomial& r, bool is_swapped) {
  check_release(r);
  std::vector<CurvePoint> curve = grid_of(r);
  const auto others = static_cast<std::size_t>((r.clients - 1) * r.trials);
  for (std::size_t k = 0; k <= others; ++k) {
    const SumPair pair = pair_with(r, k);
    raise_to(is_swapped ? swapped(pair) : pair, curve);
  }
  return from_curve(curve);
}

Result poisson_binomial_epsilon(const PoissonBinomial& r, double steps, double delta,
                                const Effort& effort) {
  Result found = upper_epsilon(r, steps, delta, effort);
  found.lower = 0;
  for (const double successes : {0.0, (r.clients - 1) * r.trials}) {
    const LossAtoms exact = exact_loss(pair_with(r, static_cast<std::size_t>(successes)));
    const Result one = pld_epsilon({{exact, steps * r.dimension, 0}}, delta, effort);
    found.lower = std::max(found.lower, one.lower);
  }
  return found;
}

PoissonBinomial calibrate_theta(const PoissonBinomial& release, double steps, double epsilon,
                                double delta) {
  check_release(release);
  PoissonBinomial found = release;
  const auto slack = [&](double theta) {
    found.theta = theta;
    return epsilon - upper_epsilon(found, steps, delta, effort_of_trials).value;
  };
  // gaussian_mu() sqrt(d T) = mu at theta / sqrt(1/4 - theta^2) = s.
  const double mu =
      1 / calibrate_noise({Relation::add_remove, {{.sigma = 1}}}, epsilon, delta).value;
  found.theta = 0.25;
  const double s = mu / std::sqrt(steps * release.dimension) / gaussian_mu(found) / std::sqrt(3);
  double high = 0.5 * s / std::sqrt(1 + s * s);
  double at_high = slack(high);
  for (; at_high > 0; at_high = slack(high)) high = 0.5 * (high + std::min(0.5, 1.1 * high));
  double low = 0.95 * high;
  double at_low = slack(low);
  for (; at_low <= 0; at_low = slack(low)) low *= 0.8;
  found.theta = narrow(slack, {low, high}, at_low, at_high, 1e-4, 20).low;
  return found;
}

}  // namespace trilemma::accounting
