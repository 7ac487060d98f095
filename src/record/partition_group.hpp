#pragma once

#include "h5/h5.hpp"
#include "record/partition_record.hpp"

namespace trilemma {

/// Writes the group /partition.
void write_partition(hid_t file, const PartitionRecord& record);

}  // namespace trilemma
