#pragma once
// Bounds without a grid. The upper ones in closed form are valid for every composition: if a grid
// does not converge, one of them may be the smallest known bound.

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/result.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {

/// Returns an upper bound on epsilon at `delta`, 0 < delta < 1, the smallest of
/// * 0, where the probability 1 - prod_j (1 - q_j)^T_j that the unit is drawn in any release is at
///   most delta;
/// * the epsilon of the same releases of all units (sampling never costs more);
/// * with `thorough`, where one component is drawn, at most 1e5 times: the epsilon against an
///   adversary who learns in which releases the unit was drawn (more information never costs less).
Result simple_epsilon(const Composition& composition, double delta, bool thorough);

/// Returns an upper bound on delta at `epsilon`, in the same way.
Result simple_delta(const Composition& composition, double epsilon, bool thorough);

/// Returns bounds on log delta for Gaussian releases for which the adversary knows whether the unit
/// was drawn: in T rounds with probability q each, the unit is drawn in k of them with probability
/// Bin(k; T, q), and these k are Gaussian releases.
///
///     delta(epsilon) = sum_k Bin(k; T, q) delta_Gauss(mu_k, epsilon),  mu_k^2 = k (D/z)^2 + mu_0^2
///
/// with D = 1, or 2 under replace_one, and mu_0 of the components that are not sampled. Exact up to
/// the omitted terms, which are added to the upper bound. At most one component may have a rate
/// below 1.
Bracket revealed_log_delta(const Composition& composition, double epsilon);

/// Returns bounds on epsilon at `delta`.
Bracket revealed_epsilon(const Composition& composition, double delta);

}  // namespace trilemma::accounting
