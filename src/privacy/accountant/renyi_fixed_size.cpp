#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/accountant/renyi.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Returns log B(l) = log E_{x~N(0,z^2)}[(exp((2x-1)/(2z^2)) - 1)^l] for even l, for which the
// integrand is positive; the alternating sum in the paper loses all digits.
double log_even_moment(double z, int l) {
  const double square = z * z;
  auto log_integrand = [&](double x) {
    const double y = (2 * x - 1) / (2 * square);
    const double lift = y > 30 ? y + std::log1p(-std::exp(-y)) : std::log(std::abs(std::expm1(y)));
    return l * lift - x * x / (2 * square);
  };
  // The right-hand peak solves x = l/(1 - e^-y), where the right side decreases in x.
  double low = 0.5;
  double high = l + z * std::sqrt(static_cast<double>(l)) + 1 + 0.5;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const double y = (2 * middle - 1) / (2 * square);
    (middle * -std::expm1(-y) < l ? low : high) = middle;
  }
  const double step = std::min(z / 8, std::numbers::pi * square / 12);
  const double first = -14 * z - z * std::sqrt(static_cast<double>(l));
  const double last = high + 14 * z;
  const double peak = std::max(log_integrand(high), log_integrand(-z * std::sqrt(1.0 * l)));
  double sum = 0;
  const auto count = static_cast<long>((last - first) / step) + 1;
  for (long i = 0; i <= count; ++i)
    sum += std::exp(log_integrand(first + static_cast<double>(i) * step) - peak);
  return peak + std::log(sum * step / (z * std::sqrt(2 * std::numbers::pi)));
}

}  // namespace

double FixedSizeRenyi::log_b(int l) {
  const auto found = log_b_.find(l);
  if (found != log_b_.end()) return found->second;
  return log_b_.emplace(l, log_even_moment(z_, l)).first->second;
}

// Returns term j of the theorem's bound on exp((a-1) rdp(a)).
double FixedSizeRenyi::log_term(int order, int j) {
  const double choose = boost::math::lgamma(order + 1.0) - boost::math::lgamma(j + 1.0) -
                        boost::math::lgamma(order - j + 1.0);
  const double two_e = std::log(2.0) + log_e(j);
  // (r-1)^l >= r^l - l r^(l-1) for even l: if that leaves half of E(l), 2 E(j) is the smaller term,
  // and the moments, whose integrals are slow for little noise, are not needed.
  const bool far = j > 2 && (j - 1) * std::exp(-(j - 2) / (z_ * z_)) < 0.5;
  if (far) return j * std::log(rate_) + choose + two_e;
  const double spread =
      std::log(4.0) +
      (j == 2 ? std::log(std::expm1(log_e(2))) : 0.5 * (log_b(j / 2 * 2) + log_b((j + 1) / 2 * 2)));
  return j * std::log(rate_) + choose + std::min(spread, two_e);
}

double FixedSizeRenyi::log_bound(int order) {
  if (order <= 1) return 0;
  double log_sum = -inf;
  for (int j = 2; j <= order; ++j) log_sum = log_add(log_sum, log_term(order, j));
  return log_sum > 30 ? log_sum : std::log1p(std::exp(log_sum));
}

double FixedSizeRenyi::at(double order) {
  const double below = std::floor(order);
  const double share = order - below;
  double log_moment = log_bound(static_cast<int>(below));
  if (share > 0) log_moment += share * (log_bound(static_cast<int>(below) + 1) - log_moment);
  return log_moment / (order - 1);
}

}  // namespace trilemma::accounting
