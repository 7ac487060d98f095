#pragma once
// Interface of the exchanges between nodes: every message reaches the ranks that host a neighbour
// of its sender.

#include <memory>
#include <vector>

#include "base/packets.hpp"
#include "base/types.hpp"
#include "settings/table.hpp"

namespace trilemma {

class Ranks;
struct Placement;

/// What this rank exchanges with every other rank; all lists are ascending.
struct PeerLists {
  std::vector<std::vector<std::uint32_t>> slots;  ///< hosted nodes whose messages go to the rank
  std::vector<std::vector<std::uint32_t>> nodes;  ///< nodes of the rank whose messages come here
};

/// A message of a node.
struct NodeMessage {
  std::uint32_t node = 0;
  std::span<const std::byte> bytes;
};

class NodeExchange {
 public:
  virtual ~NodeExchange() = default;
  /// Returns the messages of the hosted nodes and of all their neighbours, ascending by node; valid
  /// until the next call. `mine` holds the messages of the hosted nodes by slot, `step` is a number
  /// that grows with every call. Collective.
  virtual std::span<const NodeMessage> deliver(std::uint32_t step, const Packets& mine) = 0;
  /// Returns the number of bytes that this rank has handed to MPI since the start.
  virtual std::uint64_t sent_bytes() const = 0;
};

/// Inputs of an exchange; `ranks` must outlive it.
struct NodeExchangeSetup {
  Ranks& ranks;
  PeerLists peers;
};

struct NodeExchangeKind {
  std::unique_ptr<NodeExchange> (*make)(NodeExchangeSetup);
  /// Returns the number of messages that all ranks together hand to MPI in a step, where `pairs` is
  /// the number of pairs of a node and another rank that hosts one of its neighbours.
  std::uint64_t (*copies)(std::uint64_t pairs, const Placement& place);
  bool passes_rank_0 = false;  ///< whether rank 0 gathers and broadcasts all messages
};

/// Returns the table of exchanges between nodes: neighbours, collective, relay.
std::span<const Row<NodeExchangeKind>> node_exchanges();

}  // namespace trilemma
