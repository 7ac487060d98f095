#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the properties of a plan that decide which theorem covers it.
ClaimCase claim_case(const Plan& plan);

/// Returns whether, if clients add the noise, every coordinate of the sum of their vectors carries
/// the noise of all clients.
bool noise_is_shared(const Plan& plan);

/// Returns whether clients store models of their own, which carry no noise.
bool keeps_own_models(const Plan& plan);

}  // namespace trilemma
