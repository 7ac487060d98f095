#pragma once
// How private an experiment can be at most, from its settings and the theory alone: explicit pairs
// of neighbours, adversaries that see what the claim's view sees, and their exact success.

#include <string>

#include "tests/claim_oracle/facts.hpp"
#include "tests/claim_oracle/signal.hpp"

namespace trilemma::claims {

/// All attacks on what the settings release within `rounds` rounds.
Attacks attacks(const Facts& facts, const Machine& machine, long rounds);

/// Why no claim may be printed as one that holds, whatever its epsilon; empty if one may.
std::string refusal(const Facts& facts);

/// An attack that refutes (epsilon, delta), or nullptr.
const Attack* refutes(const Attacks& attacks, double epsilon, double delta);

/// Least epsilon at delta that no attack refutes; 1e300 where there is none below 1e6.
double least_epsilon(const Attacks& attacks, double delta);

}  // namespace trilemma::claims
