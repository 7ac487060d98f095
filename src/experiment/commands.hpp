#pragma once
// The subcommands of the program; each returns the exit code.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trilemma {

/// Exit codes: 0 good, 1 our own error, 2 the user's mistake, 3 the run failed (results kept).
inline constexpr int exit_internal = 1;
inline constexpr int exit_user = 2;
inline constexpr int exit_failed_run = 3;
/// Of `verify`, and of an audit that refutes a claim.
inline constexpr int exit_claim_fails = 4;
inline constexpr int exit_claim_unchecked = 5;
/// A signal has stopped the run after a checkpoint: start it again with --resume.
inline constexpr int exit_stopped = 85;

struct RunOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string output;       ///< empty: runs/NAME-METHOD-MODE-sSEED.h5
  std::string data_folder;  ///< empty: $TRILEMMA_DATA_DIR, else data
  bool quiet = false;
  bool overwrite = false;    ///< a run file, or an unfinished run, may be replaced
  bool resume = false;       ///< resume from the newest checkpoint, if there is one
  long rounds_more = 0;      ///< to be added to the finished run `file`; 0: `file` is an experiment
  std::string failure_file;  ///< where the sentence goes that ends a run early; empty: stderr only
  std::string command_line;
  std::string left_out;  ///< why there is nothing to run, which is no failure; empty: run
  /// Fills in the rest on every rank once MPI has started; `first` on rank 0, which may write. What
  /// it refuses is told once.
  std::function<void(RunOptions&, bool first)> prepare;
};

struct AuditOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string data_folder;   ///< as for a run
  std::optional<long> runs;  ///< in each of the two worlds
  double confidence = 0.95;
  bool one_run = false;
  long canaries = 1000;  ///< in one run
  long records = 0;      ///< of a client; 0: as in the experiment, up to a cap
  long dimension = 16;
  std::string output;      ///< HDF5; empty: none
  bool overwrite = false;  ///< an audit file may be replaced
  bool json = false;
  bool quiet = false;
};

/// Runs an experiment under MPI (or alone).
int run_command(const RunOptions& options, int argc, char** argv);
/// Prints the summary of a run file.
int show_command(const std::string& file, bool json);
/// Attacks the claim of an experiment (docs/audit.md), under MPI or alone.
int audit_command(const AuditOptions& options, int argc, char** argv);
/// Prints the resolved configuration of a file, or all keys with their defaults.
int config_command(const std::string& file, const std::vector<std::string>& overrides,
                   const std::string& data_folder);

}  // namespace trilemma
