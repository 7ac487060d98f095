#pragma once

#include "plan/plan.hpp"

namespace trilemma {

/// What decides which theorem covers a plan.
ClaimCase claim_case(const Plan& plan);

/// Where clients add the noise: the sum of their vectors carries the noise of all of them at every
/// coordinate.
bool noise_is_shared(const Plan& plan);

/// Clients keep models of their own, which carry no noise.
bool keeps_own_models(const Plan& plan);

}  // namespace trilemma
