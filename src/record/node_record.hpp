#pragma once

#include <optional>

#include "record/field.hpp"

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
  /// How the ranks were simulated.
  struct Simulated {
    std::string platform;               ///< file name of the platform
    std::string computing;              ///< duration of computing, in words
    std::int64_t ranks = 0, hosts = 0;  ///< hosts that the ranks share
    double compute_factor = 0;          ///< relative to the machine; 0: computing takes no time
  };
  std::optional<Simulated> simulated = {};  ///< nothing for real ranks
};

/// Attributes of /environment: the requested placement, which a job script may have left out, and
/// how ranks were simulated.
const Fields<NodeRecord::Asked>& asked_fields();
const Fields<NodeRecord::Simulated>& simulated_fields();

/// Writes both, as far as they are known, as attributes of the group /environment.
void write_placement(const h5::Group& environment, const NodeRecord& record);
/// Writes the node of each rank into the group /phases.
void write_nodes(const h5::Group& phases, const NodeRecord& record);

}  // namespace trilemma
