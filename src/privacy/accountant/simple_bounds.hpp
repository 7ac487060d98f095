#pragma once
// Upper bounds in closed form, valid for every composition. If a grid does not converge, one of
// them may be the smallest known bound.

#include "privacy/accountant/result.hpp"

namespace trilemma::accounting {

struct Composition;

/// Returns an upper bound on epsilon at `delta`, 0 < delta < 1, the smallest of
/// * 0, where the probability 1 - prod_j (1 - q_j)^T_j that the unit is drawn in any release is at
///   most delta;
/// * the epsilon of the same releases of all units (sampling never costs more);
/// * with `thorough`, where one component is drawn, at most 1e5 times: the epsilon against an
///   adversary who learns in which releases the unit was drawn (more information never costs less).
Result simple_epsilon(const Composition& composition, double delta, bool thorough);

/// Returns an upper bound on delta at `epsilon`, in the same way.
Result simple_delta(const Composition& composition, double epsilon, bool thorough);

}  // namespace trilemma::accounting
