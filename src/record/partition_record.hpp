#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trilemma {

/// Which clients hold how many records, and where they are hosted: the group /partition of the run
/// file (docs/run-file.md).
struct PartitionRecord {
  std::string kind, description, assignment;  ///< the last: SHA-256
  std::string hosting;
  std::int64_t unassigned = 0;  ///< records of the training set that nobody has
  double imbalance = 0;         ///< of the hosts' training records: most / mean
  std::vector<std::pair<std::string, double>> number;  ///< distributions over the clients, by name
  std::vector<std::int64_t> records, held_out;         ///< by client
};

}  // namespace trilemma
