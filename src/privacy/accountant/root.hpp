#pragma once

#include <functional>

namespace trilemma::accounting {

/// An interval around the place where a falling function crosses zero.
struct Bracket {
  double low = 0;   ///< function above 0 here
  double high = 0;  ///< function at or below 0 here
};

/// Narrows [low, high], where f(low) > 0 >= f(high), to the relative width `tolerance` by TOMS 748
/// (Alefeld, Potra, Shi 1995) with at most `evaluations` further values of f.
Bracket narrow(const std::function<double(double)>& f, Bracket bracket, double f_low, double f_high,
               double tolerance, int evaluations);

/// The root of a falling f on [0, infinity): 0 if f(0) <= 0, else the upper end is doubled from
/// `first` until it holds the root. Where f stays positive up to `most`, high is infinite.
Bracket falling_root(const std::function<double(double)>& f, double first, double most,
                     double tolerance);

/// Where a function with one minimum on [low, high] is smallest: middle of the interval that is
/// left after `steps` steps of golden section, two values of f each.
double golden_section(const std::function<double(double)>& f, double low, double high, int steps);

}  // namespace trilemma::accounting
