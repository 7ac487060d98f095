#pragma once

#include <vector>

#include "privacy/accountant/dominating_pair.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {

/// Logarithm of delta(epsilon) = P[L > epsilon] - e^epsilon Q[L > epsilon] of a single release, to
/// full relative accuracy however small delta is.
double log_delta(const DominatingPair& pair, double epsilon);

/// The largest over several pairs.
double log_delta(const std::vector<DominatingPair>& pairs, double epsilon);

/// Smallest epsilon with delta(epsilon) <= delta for a single release, 0 < delta < 1.
Bracket one_step_epsilon(const std::vector<DominatingPair>& pairs, double delta);

/// The pairs whose worst case dominates one release of the component: remove and add for Poisson
/// samples, replace for those under replace_one, subset for samples of a fixed size.
std::vector<DominatingPair> pairs_of(Relation relation, const Component& component);

/// Gaussian mechanisms compose exactly (Balle and Wang 2018): mu = C-distance over the standard
/// deviation adds in squares. Gives the pair that stands for `composition`, all of sampling none.
DominatingPair gaussian_pair(const Composition& composition);

}  // namespace trilemma::accounting
