#pragma once

#include <functional>

namespace trilemma::accounting {

/// An interval around the point where a decreasing function crosses zero.
struct Bracket {
  double low = 0;   ///< the function is above 0 here
  double high = 0;  ///< the function is at or below 0 here
};

/// Narrows [low, high], where f(low) > 0 >= f(high), to the relative width `tolerance` by TOMS 748
/// (Alefeld, Potra, Shi 1995) with at most `evaluations` further values of f.
Bracket narrow(const std::function<double(double)>& f, Bracket bracket, double f_low, double f_high,
               double tolerance, int evaluations);

/// Returns the root of a decreasing f on [0, infinity): 0 if f(0) <= 0, otherwise the upper end is
/// doubled from `first` until the root is enclosed. If f stays positive up to `most`, high is
/// infinite.
Bracket falling_root(const std::function<double(double)>& f, double first, double most,
                     double tolerance);

/// Returns the minimiser of a function with one minimum on [low, high]: the middle of the interval
/// left after `steps` steps of golden section, with two values of f each.
double golden_section(const std::function<double(double)>& f, double low, double high, int steps);

}  // namespace trilemma::accounting
