#pragma once
// The program under test: the one place that knows how a claim is asked for.

#include <optional>
#include <string>
#include <vector>

#include "tests/claim_oracle/facts.hpp"

namespace trilemma::claims {

/// An experiment as somebody would ask for it.
struct Request {
  std::vector<std::string> overrides;  ///< "key.path=value" on the defaults
  long least = 1, most = 1;            ///< records of the smallest and of the largest client
  std::string text() const;            ///< for messages
};

/// What the program says of it.
struct Answer {
  Facts facts;
  std::string dp_claim, sentence, preprocessing;
  double epsilon = 0, delta = 0;
  double epsilon_half = 0;  ///< of the curve after half the rounds; NaN without a curve
};

/// Nothing where the settings are refused.
std::optional<Answer> ask(const Request& request, std::string& refused);

/// How the program draws, found by looking at what it draws where that is possible.
Machine machine();

}  // namespace trilemma::claims
