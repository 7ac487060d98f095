#pragma once

#include <string>

#include "sweep/sweep_status.hpp"

namespace trilemma {

/// Returns a resolved sweep as JSON (docs/reference/sweep-files.md), the content of sweep.json.
std::string to_json(const Sweep& sweep);
/// Returns the same with the state of every cell.
std::string to_json(const Sweep& sweep, const std::vector<CellStatus>& status,
                    const std::string& folder);

/// Writes to_json(sweep) to sweep.json in the folder, atomically; several processes may do so at
/// the same time.
void write_manifest(const Sweep& sweep, const std::string& folder);

}  // namespace trilemma
