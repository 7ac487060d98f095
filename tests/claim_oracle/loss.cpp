#include "tests/claim_oracle/loss.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trilemma::claims {
namespace {

double upper(double t) { return std::erfc(t / std::numbers::sqrt2) / 2; }

/// Mass of [a, b) under N(0, 1), by the tail that loses no digits.
double mass(double a, double b) { return a > 0 ? upper(a) - upper(b) : upper(-b) - upper(-a); }

}  // namespace

Loss::Loss(const DominatingPair& pair) : pair_(pair) {
  for (const Atom& a : pair) {
    if (a.first == 0 && a.second == 0) continue;
    least_ = std::min(least_, a.mean);
    most_ = std::max(most_, a.mean);
  }
}

Slope Loss::at(double x) const {
  const Slope first = log_density(x, &Atom::first), second = log_density(x, &Atom::second);
  return {first.value - second.value, first.derivative - second.derivative};
}

double Loss::log_first(double x) const { return log_density(x, &Atom::first).value - x * x / 2; }

double Loss::mass_of(double a, double b, double Atom::*law) const {
  double sum = 0;
  for (const Atom& atom : pair_)
    if (atom.*law > 0) sum += atom.*law * mass(a - atom.mean, b - atom.mean);
  return sum;
}

bool Loss::falls_without_end() const {
  return std::ranges::all_of(pair_, [&](const Atom& a) { return a.mean > least_ || a.first == 0; });
}

double Loss::rises_from() const {
  const auto falls = [](const Atom& a, const Atom& b) {
    return b.mean > a.mean && b.first * a.second < a.first * b.second;
  };
  bool always = true;
  for (const Atom& a : pair_)
    for (const Atom& b : pair_) always = always && !falls(a, b);
  double from = least_ - reach;
  if (always) return from;
  const double step = std::max(0.02, (span() + 2 * reach) / 2000);
  for (double x = from; x < most_ + reach; x += step)
    if (at(x).derivative <= 0) from = x + step;
  return from;
}

Slope Loss::log_density(double x, double Atom::*law) const {
  double best = -infinite;
  for (const Atom& a : pair_)
    if (a.*law > 0) best = std::max(best, a.mean * x - a.mean * a.mean / 2);
  double sum = 0, moment = 0;
  for (const Atom& a : pair_) {
    if (!(a.*law > 0)) continue;
    const double part = a.*law * std::exp(a.mean * x - a.mean * a.mean / 2 - best);
    sum += part;
    moment += part * a.mean;
  }
  return {best + std::log(sum), moment / sum};
}

Moments::Moments(const Loss& loss) {
  const double low = loss.least() - reach - 4, high = loss.most() + most_tilt + reach;
  const double step = std::max(0.05, (high - low) / 20000);
  for (double x = low; x < high; x += step) {
    loss_.push_back(loss.at(x).value);
    weight_.push_back(loss.log_first(x) + std::log(step / std::sqrt(2 * std::numbers::pi)));
  }
}

Tilted Moments::tilt(double theta) const {
  double best = -infinite, sum = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < loss_.size(); ++i)
    best = std::max(best, weight_[i] + theta * loss_[i]);
  for (std::size_t i = 0; i < loss_.size(); ++i) {
    const double p = std::exp(weight_[i] + theta * loss_[i] - best);
    sum += p;
    first += p * loss_[i];
    second += p * loss_[i] * loss_[i];
  }
  const double mean = first / sum;
  return {best + std::log(sum), mean, std::max(0.0, second / sum - mean * mean)};
}

}  // namespace trilemma::claims
