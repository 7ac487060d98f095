#pragma once

#include <array>

#include "sweep/sweep.hpp"

namespace trilemma {

/// State of a cell, as far as its files show it.
enum class CellState { done, running, interrupted, failed, missing, skipped };
inline constexpr std::array cell_states = {CellState::done,        CellState::running,
                                           CellState::interrupted, CellState::failed,
                                           CellState::missing,     CellState::skipped};
/// Returns the name of the state: "done", "running", ...
const char* name(CellState state);

/// State of a cell, and why it failed or is skipped.
struct CellStatus {
  CellState state = CellState::missing;
  std::string reason;  ///< on one line; empty for other states
};

/// Paths of the files of a cell: its run file, and the text file with the reason of a failure.
struct CellFiles {
  std::string run, failure;
};
/// Returns the paths of the cell's files in `folder`.
CellFiles cell_files(const Sweep& sweep, const SweepCell& cell, const std::string& folder);

/// Returns the status of all cells of a resolved sweep whose files are in `folder`, in the order of
/// `sweep.cells`. A cell is done if its run file is complete and was made from the data files that
/// are now in `data_folder`.
std::vector<CellStatus> sweep_status(const Sweep& sweep, const std::string& folder,
                                     const std::string& data_folder);

/// Returns the status of one cell from the files as they are now; another process that runs the
/// sweep may have changed them since sweep_status().
CellStatus cell_status(const Sweep& sweep, const SweepCell& cell, const std::string& folder,
                       const std::string& data_folder);

/// Returns the number of finished run files in `folder` that belong to no cell.
std::size_t other_runs(const Sweep& sweep, const std::string& folder);

/// Returns a note that no cell's epsilon covers the choice among cells over the same data; empty
/// unless two combinations of a resolved sweep state an epsilon for the same data.
std::string choice_note(const Sweep& sweep);

/// Returns ascending `numbers` in Slurm's notation of array indices: "0,3,5-8".
std::string index_ranges(const std::vector<std::size_t>& numbers);

}  // namespace trilemma
