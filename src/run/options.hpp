#pragma once

#include <functional>
#include <string>
#include <vector>

#include "claim/difference.hpp"

namespace trilemma {

/// What the command line says of a run.
struct RunOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string output;       ///< empty: runs/NAME-METHOD-sSEED.h5
  std::string data_folder;  ///< empty: $TRILEMMA_DATA_DIR, else data
  bool quiet = false;
  bool overwrite = false;  ///< whether a run file or an unfinished run may be replaced
  bool resume = false;     ///< resume from the newest checkpoint, if there is one
  long rounds_more = 0;    ///< to be added to the finished run `file`; 0: `file` is an experiment
  bool replays = false;    ///< replay the finished run `file`, contact by contact
  bool repeats = false;    ///< repeat the finished run `file`, from its configuration
  /// Rank 0: receives the differences of the file of a repeated run from this run.
  std::function<void(std::vector<Difference>)> compared;
  std::string failure_file;  ///< where the sentence goes that ends a run early; empty: stderr only
  std::string command_line;
  bool without_mpi = false;  ///< one of many runs of this process
  std::string skipped;       ///< why there is nothing to run, which is no failure; empty: run
  /// Fills in the rest on every rank once MPI has started; `first` on rank 0, which may write. What
  /// it refuses is told once.
  std::function<void(RunOptions&, bool first)> prepare;
};

}  // namespace trilemma
