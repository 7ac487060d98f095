#pragma once
// Special functions of the accountants, in double with full relative accuracy in the tails.

#include <limits>

namespace trilemma::accounting {

inline constexpr double inf = std::numeric_limits<double>::infinity();
/// Largest relative error of one rounding.
inline constexpr double unit = std::numeric_limits<double>::epsilon() / 2;

inline constexpr double sqrt_half = 0.70710678118654752440;

/// Returns the scaled complementary error function exp(x^2) erfc(x); infinite below about -26.6.
double erfcx(double x);

/// Returns the logarithm of the standard normal distribution function Phi(t), finite for every
/// finite t.
double log_normal_cdf(double t);

/// Returns t with P[N(0,1) > t] = p, for 0 < p < 1.
double normal_upper_quantile(double p);

/// Returns log(exp(a) + exp(b)); minus infinity stands for zero.
double log_add(double a, double b);

/// Returns log(exp(a) - exp(b)) for a >= b.
double log_subtract(double a, double b);

}  // namespace trilemma::accounting
