#pragma once
// From what an adversary sees in two worlds to what that proves.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "privacy/accountant/audit_bounds.hpp"

namespace trilemma {

/// The declared law of what an adversary sees of the unit under test: `size` along its direction in
/// the rounds that draw it, each with probability `rate`, plus noise N(0, sigma^2).
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

/// A threshold test on a statistic, and what its errors prove.
struct Attack {
  double threshold = 0;  ///< above it: the unit is present
  double false_positives = 0, false_negatives = 0;
  double absent_runs = 0, present_runs = 0;  ///< that were counted
  accounting::ErrorLimits limits;
  double bound = 0;  ///< on epsilon, or on mu
};

/// What error limits prove.
using BoundOf = std::function<double(const accounting::ErrorLimits&)>;

/// The threshold is the value that gives the best bound on the first third of both samples; the
/// bound comes from the rest, with `confidence`.
Attack attack(std::span<const double> absent, std::span<const double> present, double confidence,
              const BoundOf& bound);

/// Guesses of an audit in one run: the r/2 canaries with the highest scores are said to be
/// included, the r/2 with the lowest not; r is a tenth of all, at least 2.
accounting::OneRun guess(std::span<const double> score, const std::vector<bool>& included);

}  // namespace trilemma
