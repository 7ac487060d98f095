#pragma once
// The records of an experiment, distributed over its clients.

#include "experiment/plan.hpp"

namespace trilemma {

/// Records and their distribution over clients.
struct PartitionedData {
  TrainTest data;       ///< after scaling
  Partition partition;  ///< training records of each client: rows of data.train
  /// Test records of each client; empty if all clients share data.test.
  std::vector<std::vector<std::uint32_t>> test;
  bool test_is_held_out = false;  ///< whether `test` lists rows of data.train instead of data.test
  std::string files_state;        ///< data_state() before the files were read
};

/// Returns paths, sizes and times of the data files; their contents are unchanged as long as it is.
std::string data_state(const Plan& plan, const std::string& data_folder);

/// Reads or generates the records, draws the common test records, assigns the others to the
/// clients, holds out the clients' test records, and scales by the remaining ones. The result is
/// the same on every rank.
PartitionedData partition_records(const Plan& plan, const std::string& data_folder);

// The steps of partition_records(), for callers that read the records of some clients only.

/// Assigns the records to the clients, by labels and users, and removes held-out records.
void assign_records(const Plan& plan, const TrainTest& data, PartitionedData& out);
/// Applies transformations that use all training records, then brings all rows into their final
/// form.
void scale_records(const Plan& plan, PartitionedData& out);
/// Refuses, under privacy.strict, labels that were renumbered by those that occur, which is known
/// only after the files have been read.
void refuse_renumbering(const Plan& plan, const TrainTest& data);

}  // namespace trilemma
