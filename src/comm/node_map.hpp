#pragma once
// The nodes on which the ranks of a job run: as requested, and as obtained.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trilemma {

/// The placement of the ranks that a job script has requested from its launcher.
struct AskedPlacement {
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;                                 ///< 0: chosen by the batch system
  std::int64_t cores_per_rank = 0, threads_per_core = 0;  ///< 0: not specified
  bool only_marks = false;  ///< a run on other nodes is marked, not refused
};

/// Returns the placement requested by the environment variables TRILEMMA_RANKS, TRILEMMA_NODES,
/// TRILEMMA_CORES_PER_RANK, TRILEMMA_THREADS_PER_CORE and TRILEMMA_PLACEMENT_CHECK; nullopt without
/// TRILEMMA_RANKS. Throws UserError for values that do not describe a placement.
std::optional<AskedPlacement> asked_placement();

/// Returns the node of each rank, numbered from 0 in rank order: blocks of consecutive ranks, as
/// equal as possible, the larger ones first. Empty if the batch system chooses the nodes.
std::vector<std::int64_t> asked_nodes(const AskedPlacement& asked);

/// Returns the node of each rank, numbered in the same way, from the host names of the ranks.
std::vector<std::int64_t> nodes_of(const std::vector<std::string>& hosts);

/// Describes the number of ranks on each node: "6 + 5", or "2 + 2, not in blocks" where the ranks
/// of a node are not consecutive.
std::string nodes_in_words(const std::vector<std::int64_t>& node);

/// Returns a sentence on how the host names of the ranks differ from `asked`; empty if they match.
std::string placement_problem(const AskedPlacement& asked, const std::vector<std::string>& hosts);

}  // namespace trilemma
