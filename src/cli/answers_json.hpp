#pragma once

#include <string>

#include "experiment/read_plan.hpp"
#include "run/partition_answer.hpp"
#include "run/verify.hpp"
#include "sweep/sweep_status.hpp"

namespace trilemma {

/// Returns the output of `trilemma list --json`: families in their order, each a list of {name,
/// summary}.
std::string to_json(const std::vector<PartFamily>& families);
/// Returns the output of `trilemma partition --json`: the fields of the group /partition of a run
/// file, and the hosts.
std::string to_json(const PartitionAnswer& answer);
/// Returns the output of `trilemma verify --json`: the verdict on `file` and its reasons, in full
/// precision.
std::string to_json(const std::string& file, const Verification& found);

/// Returns a resolved sweep as JSON (docs/reference/sweep-files.md), the content of sweep.json.
std::string to_json(const Sweep& sweep);
/// Returns the same with the state of every cell.
std::string to_json(const Sweep& sweep, const std::vector<CellStatus>& status,
                    const std::string& folder);

/// Writes to_json(sweep) to sweep.json in the folder, atomically; several processes may do so at
/// the same time.
void write_manifest(const Sweep& sweep, const std::string& folder);

}  // namespace trilemma
