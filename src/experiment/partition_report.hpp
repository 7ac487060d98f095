#pragma once
// Who holds what, and where: for the run file and for `trilemma partition`.

#include "comm/placement.hpp"
#include "experiment/spread.hpp"
#include "record/partition_record.hpp"

namespace trilemma {

/// Blocks of clients by their records where the plan asks for them and there are several ranks.
void choose_hosts(const Plan& plan, const SpreadRecords& spread, Placement& placement);

/// Distributions over the clients (DISTRIBUTION_STATISTIC, as records_median), assignment, hosting.
PartitionRecord partition_record(const Plan& plan, const SpreadRecords& spread,
                                 const Placement& placement);

/// The same as a table, with a line a host.
std::string partition_table(const PartitionRecord& record, const Placement& placement);

}  // namespace trilemma
