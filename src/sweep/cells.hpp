#pragma once
// The cells of a sweep: which there are, what each computes, and their names.

#include "data/data_folder.hpp"
#include "sweep/sweep.hpp"

namespace trilemma {

/// Reads a sweep file; `overrides` ("key=value") hold for all cells. Checks the file, its keys and
/// the experiment, but not the cells: they have no hash yet.
Sweep read_sweep(const std::string& file, const std::vector<std::string>& overrides = {});

/// Checks the configuration of a cell and fills in its hash and refusal; `data` as for read_plan().
void resolve(const Sweep& sweep, SweepCell& cell, DataFolder* data = nullptr);
/// The same for all cells; refuses two combinations that are the same experiment.
void resolve(Sweep& sweep, DataFolder* data = nullptr);

/// What the cell adds to the experiment, as "key=value".
std::vector<std::string> cell_overrides(const Sweep& sweep, const SweepCell& cell);
/// "method=ldp-sgd seed=2": the values of a cell in words.
std::string cell_name(const Sweep& sweep, const SweepCell& cell);
/// Name of the cell's files without an ending: HASH, or HASH-rREPETITION where cells are repeated.
std::string cell_stem(const Sweep& sweep, const SweepCell& cell);

}  // namespace trilemma
