#pragma once

#include "run/partition_report.hpp"

namespace trilemma {

struct PartitionOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string data_folder;  ///< empty: $TRILEMMA_DATA_DIR, else data
  long ranks = 1;           ///< on which the clients would be hosted
};

/// What `trilemma partition` answers.
struct PartitionAnswer {
  std::string data;                 ///< the source and the scaling of its features, in words
  std::vector<std::string> notes;   ///< how the files were read, where that could surprise
  std::size_t drawn_for_tests = 0;  ///< by data.test_share
  std::size_t test_records = 0;     ///< of the test set, drawn or of the source
  bool tests_by_user = false;       ///< these belong to the clients, by user
  PartitionRecord record;
  long ranks = 1;
  std::vector<HostedClients> hosts;
};

/// Reads the records of an experiment and spreads them over its clients.
PartitionAnswer partition_answer(const PartitionOptions& options);

/// The answer as tables, with a line per host.
std::string to_text(const PartitionAnswer& answer);

}  // namespace trilemma
