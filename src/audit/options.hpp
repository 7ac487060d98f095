#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trilemma {

/// What the command line says of an audit.
struct AuditOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string data_folder;   ///< as for a run
  std::optional<long> runs;  ///< in each of the two worlds
  double confidence = 0.95;
  bool one_run = false;
  long canaries = 1000;         ///< in one run
  std::optional<long> records;  ///< of a client; not set: as in the experiment, up to a cap
  long dimension = 16;
  std::string output;      ///< HDF5; empty: none
  bool overwrite = false;  ///< an audit file may be replaced
  bool json = false;
  bool quiet = false;
};

}  // namespace trilemma
