#pragma once
// Experiments whose claims were once too good.

#include "tests/claim_oracle/program.hpp"

namespace trilemma::claims {

struct KnownOverclaim {
  const char* why;
  Request request;
};

std::vector<KnownOverclaim> known_overclaims();

}  // namespace trilemma::claims
