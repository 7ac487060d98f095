#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "h5/h5.hpp"

namespace trilemma {

/// On which nodes the ranks of a run were, and what was asked for (docs/run-file.md).
struct NodeRecord {
  /// What a job script has asked its launcher for; 0: not said, or left to the batch system.
  struct Asked {
    std::int64_t nodes = 0, ranks_per_node = 0;  ///< ranks of the fullest node
    std::int64_t cores_per_rank = 0, threads_per_core = 0;
    bool is_met = true;  ///< whether the ranks are where they were asked for
  };
  std::vector<std::int64_t> node;  ///< of each rank, from 0 on; empty where ranks are simulated
  std::optional<Asked> asked;
};

/// Writes what was asked for as attributes of the group /environment.
void write_asked_placement(hid_t environment, const NodeRecord& record);
/// Writes the node of each rank into the group /phases.
void write_nodes(hid_t phases, const NodeRecord& record);

}  // namespace trilemma
