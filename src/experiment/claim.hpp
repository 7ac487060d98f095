#pragma once
// From a plan to the facts that its claim rests on, and what follows from them.

#include "claim/claim.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// The facts of a plan whose clients hold so many records.
ClaimInputs claim_inputs_of(const Plan& plan, const ShardSizes& shards);

/// What a plan releases: the facts that its parts declare, put together under the theorem that
/// covers them. Sensitivities are at the place where the noise is added.
Releases releases(const Plan& plan, const ShardSizes& shards);

/// Standard deviation of the noise per coordinate, where it is added: given, by the accountant, or
/// by the method's closed form. Refuses an epsilon to be reached where no theorem covers the plan.
double noise_sigma(const Plan& plan, const ShardSizes& shards);

/// Accounts the plan at noise `sigma`. Of a run that had `extended_from` rounds before it got
/// those of the plan (0: it was not extended) the claim says that no theorem covers deciding on
/// more after a look: that is a privacy odometer (Rogers, Roth, Ullman and Vadhan 2016).
Claim make_claim(const Plan& plan, double sigma, const ShardSizes& shards, long extended_from = 0);

/// That, in words, to be said behind an epsilon; empty where the run was not extended.
std::string condition_of_extension(const Plan& plan, long extended_from);

}  // namespace trilemma
