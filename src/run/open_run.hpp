#pragma once

#include "claim/claim.hpp"
#include "record/run_file.hpp"
#include "run/run_target.hpp"

namespace trilemma {

/// The run file of rank 0 at its target: a new one, or the one of the checkpoint, which becomes
/// that of the longer run where a finished one is extended. Refuses data files that have changed
/// since.
std::unique_ptr<RunFile> open_run(const RunTarget& target, const RunIdentity& id,
                                  std::span<const Metric> metrics, const Claim& claim);

}  // namespace trilemma
