#pragma once
// Derives the claim inputs of a plan, and from these its releases, noise and claim.

#include "claim/claim.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the claim inputs of `plan`, for clients with shards of the given sizes.
ClaimInputs claim_inputs_of(const Plan& plan, const ShardSizes& shards);

/// Returns what `plan` releases, according to the theorem that covers it. Sensitivities refer to
/// the place where the noise is added.
Releases releases(const Plan& plan, const ShardSizes& shards);

/// Returns the standard deviation of the noise per coordinate, where it is added: given, calibrated
/// by the accountant, or by the closed form of the method's paper. Throws UserError if
/// privacy.epsilon is set and no theorem covers the plan.
double noise_sigma(const Plan& plan, const ShardSizes& shards);

/// Returns the noise of a later round of the plan's recursion in which one record's part has norm
/// at most G, divided by the noise of an anchor: (b_1 / b) times the ratio of the noise
/// multipliers, which is 1, the result of a search, or that of the closed form. 1 for other
/// methods.
double later_noise(const Plan& plan, const ShardSizes& shards);

/// Returns the claim of `plan` at noise `sigma`. If the run was extended after `extended_from`
/// rounds (0: not extended), the claim adds that no theorem covers the decision to continue after
/// seeing results, which would need a privacy odometer (Rogers, Roth, Ullman and Vadhan 2016).
Claim make_claim(const Plan& plan, double sigma, const ShardSizes& shards, long extended_from = 0);

/// Returns this condition, to be appended to a statement of epsilon; empty if the run was not
/// extended.
std::string condition_of_extension(const Plan& plan, long extended_from);

}  // namespace trilemma
