#pragma once

#include <string>

#include "sweep/sweep_status.hpp"

namespace trilemma {

/// A resolved sweep as JSON (docs/sweeps.md): what sweep.json holds.
std::string to_json(const Sweep& sweep);
/// The same with the state of every cell.
std::string to_json(const Sweep& sweep, const std::vector<CellStatus>& status,
                    const std::string& folder);

/// Writes to_json(sweep) into the folder as sweep.json, at once or not at all; any number of
/// processes may do so at a time.
void write_manifest(const Sweep& sweep, const std::string& folder);

}  // namespace trilemma
