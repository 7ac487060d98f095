#pragma once
// Attacks: the declared law of the adversary's observations, threshold tests on samples in two
// worlds, and the bounds that follow.

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "privacy/accountant/audit_bounds.hpp"

namespace trilemma {

/// Declared law of the adversary's observations of the unit under test: `size` along its direction
/// in the rounds that draw it, each with probability `rate`, plus noise N(0, sigma^2).
struct Signal {
  double size = 0;
  double rate = 1;
  double sigma = 1;
  bool opposite = false;  ///< the alternative to +size is -size (replace_one), otherwise 0
  std::string statistic;  ///< in words
  double flips = 0;       ///< probability that a drawn unit shows the opposite of its size
  /// Largest magnitude of the ratio: the epsilon of a message that is private alone.
  double most = std::numeric_limits<double>::infinity();
};

/// Returns log P(y | unit present) / P(y | unit absent or replaced) for one projection y, with N(s)
/// = density of N(s, sigma^2), q = rate, f = flips and M(s) = (1-f) N(s) + f N(-s):
///   ((1-q) N(0) + q M(size)) / N(0), or / ((1-q) N(0) + q M(-size)) where opposite,
/// between -most and most.
double log_likelihood_ratio(const Signal& signal, double y);

/// A threshold test on a statistic, and the bound that follows from its errors.
struct Attack {
  double threshold = 0;  ///< the test decides "present" above it
  double false_positives = 0, false_negatives = 0;
  double absent_runs = 0, present_runs = 0;  ///< number of runs counted in each world
  accounting::ErrorLimits limits;
  double bound = 0;  ///< lower bound on epsilon, or on mu
};

/// Returns the lower bound that follows from error limits.
using BoundOf = std::function<double(const accounting::ErrorLimits&)>;

/// Returns the attack whose threshold gives the best bound on the first third of both samples; its
/// bound is computed from the remaining runs, with `confidence`.
Attack attack(std::span<const double> absent, std::span<const double> present, double confidence,
              const BoundOf& bound);

/// Returns the guesses of an audit in one run: the r/2 canaries with the highest scores are guessed
/// to be included, the r/2 with the lowest scores not to be; r is a tenth of all canaries, at least
/// 2.
accounting::OneRun guess(std::span<const double> score, const std::vector<bool>& included);

}  // namespace trilemma
