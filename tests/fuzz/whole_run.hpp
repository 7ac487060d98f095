#pragma once
// A finished run with rows of samples and a checkpoint, made without MPI: what the harnesses of
// HDF5 files begin with.

#include "experiment/plan.hpp"
#include "sweep/sweep.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::fuzz {

/// Its sweep.
inline constexpr const char* one_cell =
    "experiment = \"tiny.toml\"\nseeds = [1]\n[set]\nprivacy.delta = 0.001\n";

/// Of every coordinate of its model.
inline constexpr real final_value = 2;

struct WholeRun {
  testing::TempFolder folder;    ///< with the experiment and its sweep
  Sweep sweep;                   ///< of one cell, which is this run
  Plan plan;                     ///< of the cell
  std::string path, checkpoint;  ///< where run and checkpoint belong, and nothing is
  std::int64_t round = 0;        ///< of the checkpoint
  std::string run_bytes, checkpoint_bytes;

  WholeRun();
};

/// The one of this process.
const WholeRun& whole_run();

}  // namespace trilemma::fuzz
