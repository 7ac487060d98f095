#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "h5/h5.hpp"

namespace trilemma {

/// The nodes of the ranks of a run, and the placement that was requested (docs/run-file.md).
struct NodeRecord {
  /// The placement that a job script has requested from its launcher; 0: not specified, or left to
  /// the batch system.
  struct Asked {
    std::int64_t nodes = 0, ranks_per_node = 0;  ///< ranks on the fullest node
    std::int64_t cores_per_rank = 0, threads_per_core = 0;
    bool is_met = true;  ///< whether the ranks are placed as requested
  };
  std::vector<std::int64_t> node;  ///< of each rank, counted from 0; empty for simulated ranks
  std::optional<Asked> asked;
};

/// Writes the requested placement as attributes of the group /environment.
void write_asked_placement(hid_t environment, const NodeRecord& record);
/// Writes the node of each rank into the group /phases.
void write_nodes(hid_t phases, const NodeRecord& record);

}  // namespace trilemma
