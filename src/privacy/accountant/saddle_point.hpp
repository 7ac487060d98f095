#pragma once

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/result.hpp"

namespace trilemma::accounting {

/// Logarithm of delta(epsilon) by inverting the moment generating function of the privacy loss on a
/// vertical line through its saddle point: no discretisation of the loss, relative accuracy about
/// 1e-8, no certificate. NaN where the integral does not converge (few effective steps).
double saddle_point_log_delta(const Composition& composition, double epsilon);

/// epsilon from delta in the same way: an oracle for tests.
Result saddle_point_epsilon(const Composition& composition, double delta);

}  // namespace trilemma::accounting
