#include "tests/claim_oracle/signal.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trilemma::claims {
namespace {

/// The worst pairs of neighbours for the signal.
std::vector<DominatingPair> pairs(const Signal& s) {
  if (s.hidden >= 1) return {plain_pair(s.distance())};
  std::vector<DominatingPair> all{s.replaced ? opposite_pair(s.hidden, s.step)
                                             : sampled_pair(s.hidden, s.step)};
  if (!s.exact_size) return all;
  // All others contribute -step, and so does whoever stands in for the unit.
  if (s.replaced)
    all.push_back(sampled_pair(s.hidden, s.distance()));
  else
    all.push_back(
        {{0, 1 - s.hidden, 1 - s.hidden}, {s.step, 0, s.hidden}, {2 * s.step, s.hidden, 0}});
  return all;
}

double upper(double t) { return std::erfc(t / std::numbers::sqrt2) / 2; }

}  // namespace

void weigh_rounds(Attacks& all, const std::string& name, const Signal& signal, long rounds,
                  bool by_rule) {
  for (const DominatingPair& pair : pairs(signal)) {
    weigh_rounds(all, name, pair, rounds, signal.known);
    all.back().by_rule = by_rule;
  }
}

void weigh_rounds(Attacks& all, const std::string& name, const DominatingPair& pair, long rounds,
                  double known) {
  all.push_back({name, [pair, rounds, known](double epsilon) {
                   return known_rounds_delta(pair, rounds, known, epsilon);
                 }});
}

void exceed_cut(Attacks& all, const Signal& signal, double cut, long rounds) {
  if (!signal.single) return;
  const double once = signal.hidden * signal.known * cut_tail(cut - signal.distance(), cut);
  const double ever = -std::expm1(static_cast<double>(rounds) * std::log1p(-std::min(once, 1.0)));
  all.push_back({"noise never exceeds its cut", [ever](double) { return ever; }});
}

double cut_tail(double x, double cut) {
  if (x >= cut) return 0;
  const auto density = [&](double t) {
    const double half = std::sqrt(std::max(0.0, cut * cut - t * t));
    return std::exp(-t * t / 2) / std::sqrt(2 * std::numbers::pi) * (1 - 2 * upper(half));
  };
  const double from = std::max(x, -cut);
  return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(density, from, cut, 8, 1e-9);
}

std::vector<Signal> masked(const Signal& signal, double gain, bool after) {
  if (gain <= 1) return {signal};
  Signal along_one = signal, along_all = signal;
  along_one.known /= gain;
  along_one.step *= after ? gain : 1;
  along_all.single = false;
  along_all.step *= after ? std::sqrt(gain) : std::sqrt(1 / gain);
  return {along_one, along_all};
}

DominatingPair repeated_pair(long batch, long records, double step, bool replaced) {
  const double rate = 1.0 / static_cast<double>(records);
  const long most = std::min(batch, 60L);
  DominatingPair pair;
  for (long k = replaced ? -most : 0; k <= most; ++k) {
    const double p = binomial(batch, rate, std::abs(k));
    const double first = k >= 0 ? p : 0;
    const double second = replaced ? (k <= 0 ? p : 0) : (k == 0 ? 1 : 0);
    if (std::max(first, second) > 1e-25)
      pair.push_back({static_cast<double>(k) * step, first, second});
  }
  return pair;
}

DominatingPair opposed_pair(double rate, double sampled, double full, bool replaced) {
  if (!replaced) return {{0, 0, 1}, {-full, 1 - rate, 0}, {sampled - full, rate, 0}};
  return {{-full, 1 - rate, 0},
          {sampled - full, rate, 0},
          {full, 0, 1 - rate},
          {full - sampled, 0, rate}};
}

}  // namespace trilemma::claims
