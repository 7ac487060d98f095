#pragma once
// The records of an experiment, spread over its clients.

#include "experiment/plan.hpp"

namespace trilemma {

struct SpreadRecords {
  TrainTest data;       ///< scaled
  Partition partition;  ///< what each client trains on: rows of data.train
  /// What each client tests on; empty where all share data.test.
  std::vector<std::vector<std::uint32_t>> test;
  bool test_is_held_out = false;  ///< these are rows of data.train, else of data.test
};

/// Reads or generates the records, gives every client its own, takes out what it keeps for tests,
/// and scales by what is left. The same on every rank.
SpreadRecords spread_records(const Plan& plan, const std::string& data_folder);

}  // namespace trilemma
