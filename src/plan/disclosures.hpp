#pragma once
// What a run file tells beside what the claim of its run covers.

#include "core/provenance.hpp"
#include "plan/plan.hpp"

namespace trilemma {

/// Whether the claim of a plan covers recorded values of this provenance.
bool is_covered(const Plan& plan, Provenance what);

/// What the run file leaves out: under privacy.strict everything that the claim does not cover,
/// else nothing.
Provenances withheld(const Plan& plan);

/// What the run file records although the claim does not cover it, in words of the claim.
std::vector<std::string> disclosures(const Plan& plan);

/// Tests are made of private records: held out by clients, drawn for tests, or those of the users.
bool has_private_tests(const Plan& plan);

}  // namespace trilemma
