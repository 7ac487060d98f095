#pragma once

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/result.hpp"

namespace trilemma::accounting {

/// Returns the logarithm of delta(epsilon) by inverting the moment generating function of the
/// privacy loss along a vertical line through its saddle point. Does not discretise the loss;
/// relative accuracy about 1e-8, not certified. NaN if the integral does not converge (few
/// effective steps).
double saddle_point_log_delta(const Composition& composition, double epsilon);

/// Returns epsilon at `delta` by the same method: an oracle for tests.
Result saddle_point_epsilon(const Composition& composition, double delta);

}  // namespace trilemma::accounting
