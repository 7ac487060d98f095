#pragma once

#include "comm/placement.hpp"
#include "experiment/claim.hpp"
#include "federation/assembly.hpp"
#include "record/run_file.hpp"
#include "run/options.hpp"
#include "run/processor.hpp"

namespace trilemma {

/// Where the ranks run, one element per rank.
struct RankHosts {
  std::vector<std::string> hosts;  ///< names
  std::vector<Processor> processors;
};

/// What the run file says of a run before its first round.
RunIdentity identify(const Plan& plan, const Assembly& parts, const Claim& claim,
                     const Placement& place, const RankHosts& ranks, const RunOptions& options);

}  // namespace trilemma
