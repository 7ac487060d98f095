#pragma once
// From samples of a statistic in two worlds to what they prove.

#include <functional>
#include <span>
#include <vector>

#include "privacy/accountant/audit_bounds.hpp"

namespace trilemma {

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
