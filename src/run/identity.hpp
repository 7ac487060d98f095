#pragma once

#include "comm/placement.hpp"
#include "experiment/claim.hpp"
#include "federation/assembly.hpp"
#include "record/run_file.hpp"
#include "run/options.hpp"

namespace trilemma {

/// What ranks have said of themselves, one text per rank.
struct RankTexts {
  std::vector<std::string> hosts;  ///< names
  std::vector<std::string> processors;
};

/// What the run file says of a run before its first round.
RunIdentity identify(const Plan& plan, const Assembly& parts, const Claim& claim,
                     const Placement& place, const RankTexts& ranks, const RunOptions& options);

}  // namespace trilemma
