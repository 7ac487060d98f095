#pragma once

#include "facts/partition_record.hpp"
#include "h5/h5.hpp"

namespace trilemma {

/// Writes the group /partition.
void write_partition(hid_t file, const PartitionRecord& record);

}  // namespace trilemma
