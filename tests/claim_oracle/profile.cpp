#include "tests/claim_oracle/profile.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include <cmath>
#include <numbers>

#include "tests/claim_oracle/lattice.hpp"

namespace trilemma::claims {

DominatingPair plain_pair(double step) { return {{0, 0, 1}, {step, 1, 0}}; }

DominatingPair sampled_pair(double rate, double step) {
  return {{0, 1 - rate, 1}, {step, rate, 0}};
}

DominatingPair opposite_pair(double rate, double step) {
  return {{-step, 0, rate}, {0, 1 - rate, 1 - rate}, {step, rate, 0}};
}

namespace {

/// log of the upper tail of N(0, 1); asymptotic series where erfc leaves the doubles.
double log_tail(double t) {
  if (t < 25) return std::log(std::erfc(t / std::numbers::sqrt2) / 2);
  const double s = 1 / (t * t);
  return -t * t / 2 - std::log(t * std::sqrt(2 * std::numbers::pi)) +
         std::log1p(-s * (1 - 3 * s * (1 - 5 * s)));
}

/// The shift of a pair that has one atom on each side, else 0.
double plain_shift(const DominatingPair& pair) {
  double first = 0, second = 0, shift = 0;
  for (const Atom& a : pair) {
    if (a.first == 1) first = 1, shift += a.mean;
    if (a.second == 1) second = 1, shift -= a.mean;
  }
  return first == 1 && second == 1 ? shift : 0;
}

}  // namespace

double gaussian_delta(double mu, double epsilon) {
  if (mu <= 0) return 0;
  if (!std::isfinite(mu)) return 1;
  const double own = log_tail(epsilon / mu - mu / 2), other = log_tail(epsilon / mu + mu / 2);
  return std::exp(own) * -std::expm1(std::min(0.0, epsilon + other - own));
}

double composed_delta(const DominatingPair& pair, long rounds, double epsilon) {
  if (rounds < 1) return 0;
  if (const double shift = plain_shift(pair); shift != 0)
    return gaussian_delta(std::sqrt(static_cast<double>(rounds)) * shift, epsilon);
  return lattice_delta(pair, rounds, epsilon);
}

double binomial(long trials, double rate, long k) {
  if (rate >= 1) return k == trials ? 1 : 0;
  return boost::math::pdf(
      boost::math::binomial_distribution<double>(static_cast<double>(trials), rate),
      static_cast<double>(k));
}

double known_rounds_delta(const DominatingPair& pair, long rounds, double known, double epsilon) {
  if (known >= 1) return composed_delta(pair, rounds, epsilon);
  const bool plain = plain_shift(pair) != 0;
  // Other pairs cost a transform each: k between two of these counts as the lower one.
  const double spread = std::sqrt(static_cast<double>(rounds) * known * (1 - known));
  const double middle = static_cast<double>(rounds) * known;
  double sum = 0, weight = 0, at_start = 0;
  long start = 0;
  for (long k = 1; k <= rounds; ++k) {
    const double p = binomial(rounds, known, k);
    if (plain) {
      if (p > 0) sum += p * composed_delta(pair, k, epsilon);
      continue;
    }
    const auto k_real = static_cast<double>(k);
    if (k_real < middle - 4 * spread || p < 1e-18) continue;
    if (start == 0 || k_real > static_cast<double>(start) + spread) {
      sum += weight * at_start;
      start = k;
      weight = 0;
      at_start = composed_delta(pair, k, epsilon);
    }
    weight += p;
  }
  return sum + weight * at_start;
}

double epsilon_of(const std::function<double(double)>& profile, double delta) {
  const auto excess = [&](double epsilon) {
    return std::log(std::max(profile(epsilon), 1e-300)) - std::log(delta);
  };
  double low = 0, high = 1;
  if (excess(low) <= 0) return 0;
  for (; excess(high) > 0; high *= 2) {
    low = high;
    if (high > 1e6) return 1e300;
  }
  std::uintmax_t most = 60;
  const auto close = [](double a, double b) { return b - a < 1e-8 * b; };
  return boost::math::tools::toms748_solve(excess, low, high, close, most).first;
}

}  // namespace trilemma::claims
