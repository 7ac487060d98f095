#pragma once
// The law of what an adversary sees of the unit under test, as it is declared.

#include <string>

namespace trilemma {

/// What one unit adds to what is released: `size` along its direction in rounds that draw it, which
/// is every round with probability `rate`; perturbed with N(0, sigma^2).
struct Signal {
  double size = 0;
  double rate = 1;
  double sigma = 1;
  bool opposite = false;  ///< the alternative to +size is -size (replace_one), else 0
  std::string statistic;  ///< in words
};

/// log P(y | unit present) / P(y | unit absent or replaced) of one projection y, with
/// N(s) = density of N(s, sigma^2) and q = rate:
///   ((1-q) N(0) + q N(size)) / N(0), or / ((1-q) N(0) + q N(-size)) where opposite.
double log_likelihood_ratio(const Signal& signal, double y);

}  // namespace trilemma
