#pragma once

#include <array>

#include "sweep/sweep.hpp"

namespace trilemma {

/// How far a cell is, as its files say.
enum class CellState { done, running, interrupted, failed, missing, skipped };
inline constexpr std::array cell_states = {CellState::done,        CellState::running,
                                           CellState::interrupted, CellState::failed,
                                           CellState::missing,     CellState::skipped};
const char* name(CellState state);

struct CellStatus {
  CellState state = CellState::missing;
  std::string reason;  ///< of a failure, on one line
};

/// Where the files of a cell lie; each begins with the folder.
struct CellFiles {
  std::string run, failure;
};
CellFiles cell_files(const Sweep& sweep, const SweepCell& cell, const std::string& folder);

/// Looks at the files of all cells (of a resolved sweep), in their order, and at the data in their
/// folder: a cell is done if its file was made from those.
std::vector<CellStatus> sweep_status(const Sweep& sweep, const std::string& folder,
                                     const std::string& data_folder);

/// The same for one cell, as it is now: another sweep may have been at work since.
CellStatus cell_status(const Sweep& sweep, const SweepCell& cell, const std::string& folder,
                       const std::string& data_folder);

/// Finished run files in the folder that are none of the cells'.
std::size_t other_runs(const Sweep& sweep, const std::string& folder);

/// What no cell's epsilon covers: choosing among cells (of a resolved sweep) over the same data.
/// Empty where no two of them state an epsilon. A cell's repetitions are the same run.
std::string choice_note(const Sweep& sweep);

/// Ascending numbers as Slurm writes them: "0,3,5-8".
std::string index_ranges(const std::vector<std::size_t>& numbers);

}  // namespace trilemma
