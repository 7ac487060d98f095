#pragma once

#include "run/partition_report.hpp"

namespace trilemma {

/// Command-line options of `trilemma partition`.
struct PartitionOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string data_folder;  ///< empty: $TRILEMMA_DATA_DIR, otherwise data
  long ranks = 1;           ///< number of ranks on which the clients would be hosted
};

/// The answer of `trilemma partition`.
struct PartitionAnswer {
  std::string data;                 ///< the source and the scaling of its features, in words
  std::vector<std::string> notes;   ///< how the files were interpreted, where that could surprise
  std::size_t drawn_for_tests = 0;  ///< number of records drawn by data.test_share
  std::size_t test_records = 0;     ///< number of records of the test set, drawn or from the source
  bool tests_by_user = false;       ///< whether test records belong to the clients, by user
  PartitionRecord record;
  long ranks = 1;
  std::vector<HostedClients> hosts;
};

/// Reads the records of an experiment and distributes them over its clients.
PartitionAnswer partition_answer(const PartitionOptions& options);

/// Returns the answer as tables, with a line per host.
std::string to_text(const PartitionAnswer& answer);

}  // namespace trilemma
