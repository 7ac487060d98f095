#pragma once

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {

/// Gaussian releases of which the adversary knows whether the unit was drawn: of T rounds with
/// probability q each it was in k with probability Bin(k; T, q), and those k are Gaussian releases.
///
///     delta(epsilon) = sum_k Bin(k; T, q) delta_Gauss(mu_k, epsilon),  mu_k^2 = k (D/z)^2 + mu_0^2
///
/// with D = 1, or 2 under replace_one, and mu_0 of the components that are not drawn. Exact up to
/// the terms left out, which are added to the upper end. At most one component may be drawn at a
/// rate below 1. Returns bounds on log delta.
Bracket revealed_log_delta(const Composition& composition, double epsilon);

/// Bounds on epsilon at `delta`.
Bracket revealed_epsilon(const Composition& composition, double delta);

}  // namespace trilemma::accounting
