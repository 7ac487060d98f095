#include "privacy/accountant/special.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trilemma::accounting {
namespace {

// Returns exp(x^2), corrected for the rounding error of the square.
double exp_square(double x) {
  const double square = x * x;
  return std::exp(square) * (1.0 + std::fma(x, x, -square));
}

}  // namespace

double erfcx(double x) {
  if (x < 25) return exp_square(x) * std::erfc(x);
  // Asymptotic series (1/(x sqrt(pi))) sum_k (-1)^k (2k-1)!!/(2 x^2)^k; eight terms reach 1e-19
  // at 25.
  const double r = 1.0 / (2.0 * x * x);
  double term = 1.0;
  double sum = 1.0;
  for (int k = 1; k <= 8; ++k) {
    term *= -static_cast<double>(2 * k - 1) * r;
    sum += term;
  }
  return sum * std::numbers::inv_sqrtpi / x;
}

double log_normal_cdf(double t) {
  if (t > 0) return std::log1p(-0.5 * std::erfc(t * sqrt_half));
  if (t == -inf) return -inf;
  return std::log(0.5 * erfcx(-t * sqrt_half)) - 0.5 * t * t;
}

double normal_upper_quantile(double p) { return boost::math::erfc_inv(2.0 * p) / sqrt_half; }

double log_add(double a, double b) {
  const double most = std::max(a, b);
  if (most == -inf) return -inf;
  return most + std::log1p(std::exp(std::min(a, b) - most));
}

double log_subtract(double a, double b) {
  if (!(a > b)) return -inf;
  return a + std::log(-std::expm1(b - a));
}

}  // namespace trilemma::accounting
