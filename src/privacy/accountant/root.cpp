#include "privacy/accountant/root.hpp"

#include <boost/math/tools/toms748_solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trilemma::accounting {
namespace {

// Limits values, since the solver interpolates and infinite values must not reach it.
double tame(double value) { return std::clamp(value, -1e6, 1e6); }

}  // namespace

Bracket narrow(const std::function<double(double)>& f, Bracket bracket, double f_low, double f_high,
               double tolerance, int evaluations) {
  if (f_high == 0) return {bracket.high, bracket.high};
  auto wanted = [tolerance](double a, double b) {
    return std::abs(b - a) <= tolerance * std::min(std::abs(a), std::abs(b));
  };
  auto most = static_cast<std::uintmax_t>(evaluations);
  const auto [low, high] =
      boost::math::tools::toms748_solve([&f](double x) { return tame(f(x)); }, bracket.low,
                                        bracket.high, tame(f_low), tame(f_high), wanted, most);
  return {low, high};
}

Bracket falling_root(const std::function<double(double)>& f, double first, double most,
                     double tolerance) {
  const double at_zero = f(0);
  if (at_zero <= 0) return {0, 0};
  Bracket bracket{0, first};
  double f_low = at_zero;
  double f_high = f(first);
  while (f_high > 0) {
    if (bracket.high >= most) return {bracket.high, std::numeric_limits<double>::infinity()};
    bracket = {bracket.high, std::min(2 * bracket.high, most)};
    f_low = f_high;
    f_high = f(bracket.high);
  }
  // A root close to zero has no relative width until the lower end is above zero.
  while (bracket.low == 0 && bracket.high > std::numeric_limits<double>::min()) {
    const double middle = bracket.high / 16;
    const double value = f(middle);
    if (value > 0) {
      bracket.low = middle;
      f_low = value;
    } else {
      bracket.high = middle;
      f_high = value;
    }
  }
  return narrow(f, bracket, f_low, f_high, tolerance, 200);
}

double golden_section(const std::function<double(double)>& f, double low, double high, int steps) {
  constexpr double ratio = 0.61803398874989485;
  for (int i = 0; i < steps; ++i) {
    const double a = high - ratio * (high - low);
    const double b = low + ratio * (high - low);
    const double at_a = f(a);
    if (at_a < f(b))
      high = b;
    else
      low = a;
  }
  return 0.5 * (low + high);
}

}  // namespace trilemma::accounting
