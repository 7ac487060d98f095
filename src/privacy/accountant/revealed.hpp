#pragma once

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {

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
