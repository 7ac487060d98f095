#pragma once

#include "h5/h5.hpp"
#include "record/partition_record.hpp"

namespace trilemma {

/// Writes the group /partition.
void write_partition(const h5::Group& file, const PartitionRecord& record);

}  // namespace trilemma
