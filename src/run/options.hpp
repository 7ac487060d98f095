#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "claim/difference.hpp"

namespace trilemma {

/// Command-line options of a run.
struct RunOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string output;       ///< empty: runs/NAME-METHOD-sSEED.h5
  std::string data_folder;  ///< empty: $TRILEMMA_DATA_DIR, otherwise data
  bool quiet = false;
  bool overwrite = false;  ///< whether a run file or an unfinished run may be replaced
  bool resume = false;     ///< resume from the newest checkpoint, if there is one
  long rounds_more = 0;    ///< to be added to the finished run `file`; 0: an experiment
  bool replays = false;    ///< replay the finished run `file`, contact by contact
  bool repeats = false;    ///< repeat the finished run `file`, from its configuration
  /// Rank 0: receives the differences between the file of a repeated run and this run.
  std::function<void(std::vector<Difference>)> compared;
  std::string
      failure_file;  ///< receives the sentence that ends a run early; empty: only stderr does
  std::string command_line;
  /// Rank 0: receives the rounds done and all rounds, at the start and after rounds.
  std::function<void(std::int64_t done, std::int64_t rounds)> tell_rounds;
  bool without_mpi = false;  ///< one of many runs of this process
  std::string skipped;  ///< reason why there is nothing to run, which is not a failure; empty: run
  /// Completes the options on every rank once MPI has started; `first` is true on rank 0, which may
  /// write. An error is reported once.
  std::function<void(RunOptions&, bool first)> prepare;
};

/// Runs an experiment, with or without MPI. Returns the exit code.
int run_command(const RunOptions& options, int argc, char** argv);

}  // namespace trilemma
