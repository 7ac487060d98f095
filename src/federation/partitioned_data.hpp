#pragma once
// The records of an experiment, distributed over the ranks that host its clients.

#include <limits>
#include <memory>

#include "comm/placement.hpp"
#include "data/partition_statistics.hpp"
#include "experiment/client_records.hpp"

namespace trilemma {

/// Returns the records of one of several ranks: if the source supports it, only records of the
/// hosted clients, and this rank's part of the test records, have rows. Chooses the hosts of
/// `placement` (choose_hosts()).
PartitionedData partition_records(const Plan& plan, const std::string& data_folder,
                                  Placement& placement);

/// Assigns blocks of clients to the hosting ranks, with balanced numbers of records if the plan
/// requires it.
void choose_hosts(const Plan& plan, const PartitionedData& partitioned, Placement& placement);

/// Returns the records for processes that make many runs: the last result is kept and returned
/// again if the settings of the records are the same and no file has changed its size or time.
std::shared_ptr<const PartitionedData> kept_records(const Plan& plan,
                                                    const std::string& data_folder);

/// Returns statistics on how unequal the clients are.
PartitionStatistics statistics_of(const PartitionedData& partitioned);

/// Returns the SHA-256 of the assignment as text: a line per client with the numbers of its
/// training records in their order, separated by blanks, then a line per client with those of its
/// test records, if it has its own.
std::string assignment_sum(const PartitionedData& partitioned);

/// Returns the number of training records of each client.
std::vector<std::size_t> records_by_client(const PartitionedData& partitioned);

/// Scores of the best constant answers on the test records: the share of the most frequent class
/// or, for real targets, the root mean squared distance to their mean, in the units of the source.
/// The answers are chosen with the test records, so no model that ignores the features scores
/// better. NaN without test records.
struct Baseline {
  double common = std::numeric_limits<double>::quiet_NaN();  ///< one answer for all records
  /// One answer for each client, averaged over the clients that have test records of their own; NaN
  /// if all share one test set.
  double personal = std::numeric_limits<double>::quiet_NaN();
};

/// Returns the scores of the best constant answers.
Baseline best_constants(const PartitionedData& partitioned);

}  // namespace trilemma
