#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trilemma {

/// Command-line options of an audit.
struct AuditOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string data_folder;   ///< as for a run
  std::optional<long> runs;  ///< number of runs in each of the two worlds
  double confidence = 0.95;
  bool one_run = false;
  long canaries = 1000;         ///< in an audit in one run
  std::optional<long> records;  ///< records of a client; not set: as in the experiment, up to a cap
  long dimension = 16;
  std::string output;      ///< path of the HDF5 file; empty: none
  bool overwrite = false;  ///< whether an existing audit file may be replaced
  bool json = false;
  bool quiet = false;
};

/// Attacks the claim of an experiment (docs/how-to/audit-a-run.md), with or without MPI. Returns
/// the exit code.
int audit_command(const AuditOptions& options, int argc, char** argv);

}  // namespace trilemma
