#pragma once
// Description of a partition and its hosting, for the run file and for `trilemma partition`.

#include "comm/placement.hpp"
#include "federation/partitioned_data.hpp"
#include "record/run_identity.hpp"

namespace trilemma {

/// Returns distributions over the clients (DISTRIBUTION_STATISTIC, such as records_median),
/// assignment, and hosting.
PartitionRecord partition_record(const Plan& plan, const PartitionedData& partitioned,
                                 const Placement& placement);

/// A rank, and the clients first, first + 1, ... that it hosts.
struct HostedClients {
  int rank = 0, first = 0, clients = 0;
  std::size_t records = 0;  ///< number of training records
};

/// Returns the attributes of /partition that describe the distribution of `name` over the clients:
/// "NAME_least" and the others.
std::vector<std::pair<std::string, double>> numbers_of(const char* name,
                                                       const Quartiles& quartiles);

/// The rows of the reference for these attributes.
std::vector<FieldRow> distribution_rows();

/// Returns the clients and records of every host; `records` is indexed by client.
std::vector<HostedClients> hosted_clients(const Placement& placement,
                                          const std::vector<std::size_t>& records);

/// Returns the record as a table, with a line per host.
std::string partition_table(const PartitionRecord& record, const std::vector<HostedClients>& hosts,
                            long ranks);

}  // namespace trilemma
