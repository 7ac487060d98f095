#pragma once
// On which nodes the ranks of a job run: as asked for, and as obtained.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trilemma {

/// Where a job script has asked its launcher to place the ranks.
struct AskedPlacement {
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;                                 ///< 0: left to the batch system
  std::int64_t cores_per_rank = 0, threads_per_core = 0;  ///< 0: not said
  bool only_marks = false;  ///< a run whose ranks are elsewhere is marked, not refused
};

/// What the environment variables TRILEMMA_RANKS, TRILEMMA_NODES, TRILEMMA_CORES_PER_RANK,
/// TRILEMMA_THREADS_PER_CORE and TRILEMMA_PLACEMENT_CHECK ask for; nothing without TRILEMMA_RANKS.
/// Refuses values that make no placement.
std::optional<AskedPlacement> asked_placement();

/// Node of each rank, from 0 on in the order of the ranks: blocks of ranks, as equal as possible,
/// the larger ones first. Empty where the nodes are left to the batch system.
std::vector<std::int64_t> asked_nodes(const AskedPlacement& asked);

/// Node of each rank, likewise, from the host names of the ranks.
std::vector<std::int64_t> nodes_of(const std::vector<std::string>& hosts);

/// Ranks on each node, for people: "6 + 5", or "2 + 2, not in blocks" where a node's ranks are not
/// in a row.
std::string nodes_in_words(const std::vector<std::int64_t>& node);

/// What is not as asked, as a sentence, from the host names of the ranks; empty where all is.
std::string placement_problem(const AskedPlacement& asked, const std::vector<std::string>& hosts);

}  // namespace trilemma
