#include "audit/signal.hpp"

#include <cmath>

namespace trilemma {
namespace {

// The law of a projection that is drawn with probability q: log((1-q) + q exp(a)).
double log_mixture(double rate, double a) {
  if (rate == 1) return a;
  return a > 0 ? a + std::log(rate + (1 - rate) * std::exp(-a)) : std::log1p(rate * std::expm1(a));
}

}  // namespace

double log_likelihood_ratio(const Signal& s, double y) {
  auto against_zero = [&s](double projection) {
    return log_mixture(s.rate, s.size * (2 * projection - s.size) / (2 * s.sigma * s.sigma));
  };
  return against_zero(y) - (s.opposite ? against_zero(-y) : 0);
}

}  // namespace trilemma
