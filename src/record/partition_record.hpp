#pragma once

#include "record/field.hpp"

namespace trilemma {

/// Which clients hold how many records, and where they are hosted: the group /partition of the run
/// file.
struct PartitionRecord {
  std::string kind, description, assignment;  ///< the last: SHA-256
  std::string hosting;
  std::int64_t unassigned = 0;  ///< records of the training set that no client has
  double imbalance = 0;         ///< of the hosts' training records: most / mean
  std::vector<std::pair<std::string, double>> number;  ///< distributions over the clients, by name
  std::vector<std::int64_t> records, held_out;         ///< by client
};

/// All attributes of /partition but the distributions.
const Fields<PartitionRecord>& partition_fields();

/// Writes the group /partition.
void write_partition(const h5::Group& file, const PartitionRecord& record);

}  // namespace trilemma
