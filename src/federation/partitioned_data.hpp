#pragma once
// The records of an experiment, spread over its clients.

#include <memory>

#include "comm/placement.hpp"
#include "data/partition_statistics.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

struct PartitionedData {
  TrainTest data;       ///< scaled
  Partition partition;  ///< what each client trains on: rows of data.train
  /// What each client tests on; empty where all share data.test.
  std::vector<std::vector<std::uint32_t>> test;
  bool test_is_held_out = false;  ///< these are rows of data.train, else of data.test
  std::string files_state;        ///< data_state() before the files were read
};

/// Places, sizes and times of the data files: their contents are the same as long as it is.
std::string data_state(const Plan& plan, const std::string& data_folder);

/// Reads or generates the records, draws those that are for tests, gives every client its own,
/// takes out what it keeps for tests, and scales by what is left. The same on every rank.
PartitionedData partition_records(const Plan& plan, const std::string& data_folder);

/// The same for one rank of several: where the source can, only records of the clients that it
/// hosts, and its part of the test records, have rows. Chooses the hosts of `placement`
/// (choose_hosts()).
PartitionedData partition_records(const Plan& plan, const std::string& data_folder,
                                  Placement& placement);

/// Cuts the clients into blocks for the hosting ranks, where the plan wants them equally rich in
/// records.
void choose_hosts(const Plan& plan, const PartitionedData& partitioned, Placement& placement);

/// The same, for processes that make many runs: what was spread last is kept, and is the answer
/// once more where the settings of the records are the same and no file has changed its size or
/// time.
std::shared_ptr<const PartitionedData> kept_records(const Plan& plan,
                                                    const std::string& data_folder);

/// How unequal the clients are.
PartitionStatistics statistics_of(const PartitionedData& partitioned);

/// SHA-256 of the assignment, as text: a line per client with the numbers of its training records
/// in their order, separated by blanks, then likewise a line per client with those of its test
/// records, where it has its own.
std::string assignment_sum(const PartitionedData& partitioned);

/// Training records by client.
std::vector<std::size_t> records_by_client(const PartitionedData& partitioned);

}  // namespace trilemma
