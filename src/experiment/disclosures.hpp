#pragma once
// What a run file discloses outside the claim of its run.

#include "base/provenance.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// Returns whether the claim of `plan` covers recorded values of the provenance `what`.
bool is_covered(const Plan& plan, Provenance what);

/// Returns what the run file omits: under privacy.strict everything that the claim does not cover,
/// otherwise nothing.
Provenances withheld(const Plan& plan);

/// Returns, in the words of the claim, what the run file records although the claim does not cover
/// it.
std::vector<std::string> disclosures(const Plan& plan);

/// Returns whether tests consist of private records: held out by clients, drawn for tests, or those
/// of the users.
bool has_private_tests(const Plan& plan);

}  // namespace trilemma
