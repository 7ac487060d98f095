#pragma once
// The cells of a sweep: their settings, hashes and names.

#include "data/data_folder.hpp"
#include "sweep/sweep.hpp"

namespace trilemma {

/// Reads the sweep file `file` and lists its cells in the order in which they run. `overrides`
/// ("key=value") are settings of all cells. Checks the file, its keys and the experiment, but not
/// the configurations of the cells, which have no hash before resolve(). Throws UserError.
Sweep read_sweep(const std::string& file, const std::vector<std::string>& overrides = {});

/// Checks the configuration of `cell` and sets its hash, data files and refusal; `data` as for
/// read_plan().
void resolve(const Sweep& sweep, SweepCell& cell, DataFolder* data = nullptr);
/// Resolves all cells. Throws UserError if two combinations are the same experiment.
void resolve(Sweep& sweep, DataFolder* data = nullptr);

/// Returns the settings that `cell` adds to the experiment, as "key = value".
std::vector<std::string> cell_overrides(const Sweep& sweep, const SweepCell& cell);
/// Returns the values of the axes at `cell`, such as "method=ldp-sgd seed=2".
std::string cell_name(const Sweep& sweep, const SweepCell& cell);
/// Returns the name of the cell's files without ending: HASH, or HASH-rREPETITION if the sweep
/// repeats its cells.
std::string cell_stem(const Sweep& sweep, const SweepCell& cell);

}  // namespace trilemma
