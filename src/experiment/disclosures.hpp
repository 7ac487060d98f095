#pragma once
// What a claim depends on, and disclosures of a run file outside the claim of its run.

#include "base/provenance.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the properties of a plan that decide which theorem covers it.
ClaimCase claim_case(const Plan& plan);

/// Returns whether, if clients add the noise, every coordinate of the sum of their vectors carries
/// the noise of all clients.
bool noise_is_shared(const Plan& plan);

/// Returns whether clients store models of their own, which carry no noise.
bool keeps_own_models(const Plan& plan);

/// Returns whether the claim of `plan` covers recorded values of the provenance `what`.
bool is_covered(const Plan& plan, Provenance what);

/// Returns the provenances that the run file omits: under privacy.strict all that the claim does
/// not cover, otherwise none.
Provenances withheld(const Plan& plan);

/// Returns descriptions, for the claim, of everything that the run file records although the claim
/// does not cover it.
std::vector<std::string> disclosures(const Plan& plan);

/// Returns whether tests use private records: records held out by clients, drawn for tests, or of
/// users.
bool has_private_tests(const Plan& plan);

}  // namespace trilemma
