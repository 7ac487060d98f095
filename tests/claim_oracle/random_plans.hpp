#pragma once
// Random experiments, including unlikely ones.

#include <cstdint>

#include "tests/claim_oracle/program.hpp"

namespace trilemma::claims {

/// Request number `number` of the series `seed`, over all rows of all tables. Many are refused by
/// the settings' own checks.
Request random_request(std::uint64_t seed, std::uint64_t number);

}  // namespace trilemma::claims
