#pragma once

#include <vector>

#include "privacy/accountant/dominating_pair.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {

/// Returns the logarithm of delta(epsilon) = P[L > epsilon] - e^epsilon Q[L > epsilon] of a single
/// release, with full relative accuracy however small delta is.
double log_delta(const DominatingPair& pair, double epsilon);

/// Returns the largest value over several pairs.
double log_delta(const std::vector<DominatingPair>& pairs, double epsilon);

/// Returns the smallest epsilon with delta(epsilon) <= delta of a single release, 0 < delta < 1.
Bracket one_step_epsilon(const std::vector<DominatingPair>& pairs, double delta);

/// Returns the dominating pairs of one release of the component: remove and add for Poisson
/// samples, replace for Poisson samples under replace_one, subset for samples of a fixed size.
std::vector<DominatingPair> pairs_of(Relation relation, const Component& component);

/// Returns the pair equivalent to `composition`, all of whose components have sampling none.
/// Gaussian mechanisms compose exactly (Balle and Wang 2018): mu, the C-distance divided by the
/// standard deviation, adds in squares.
DominatingPair gaussian_pair(const Composition& composition);

}  // namespace trilemma::accounting
