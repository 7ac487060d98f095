#pragma once

#include "comm/placement.hpp"
#include "federation/assembly.hpp"
#include "plan/claim.hpp"
#include "record/run_file.hpp"
#include "run/options.hpp"

namespace trilemma {

/// What the run file says of a run before its first round; `hosts` has one line per rank.
RunIdentity identify(const Plan& plan, const Assembly& parts, const Claim& claim,
                     const Placement& place, const std::vector<std::string>& hosts,
                     const RunOptions& options);

}  // namespace trilemma
