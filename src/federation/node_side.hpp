#pragma once
// The round of a decentralised method, for the nodes that a rank hosts.

#include <optional>
#include <string>

#include "comm/ranks.hpp"
#include "compress/receiver.hpp"
#include "exchange/bit_metrics.hpp"
#include "exchange/node_exchange.hpp"
#include "exchange/uplink.hpp"
#include "federation/assembly.hpp"
#include "method/node_method.hpp"

namespace trilemma {

/// Returns the number of messages that all ranks together hand to MPI in a step of the exchange
/// between nodes.
std::uint64_t copies_in_a_step(const Plan& plan, const Placement& place);

/// Why a round failed at a node.
struct NodeFailure {
  std::uint32_t round = 0, node = 0;
  std::string reason;  ///< a sentence without the round
};

/// The metrics of the messages between nodes.
struct EdgeMetrics {
  MetricLog& metric_log;
  MetricLog::Id model_bits =
      declare("bits_edges_model",
              "node to neighbour, each message counted for every neighbour, the papers' own "
              "accounting");
  MetricLog::Id payload_bits =
      declare("bits_edges_payload",
              "node to neighbour, each message counted for every neighbour, exact encoding");
  MetricLog::Id mpi_bits =
      declare("bits_neighbours", "messages between nodes that left a rank through MPI", true);

 private:
  MetricLog::Id declare(const char* name, const char* description, bool depends_on_ranks = false) {
    return metric_log.declare({.name = name,
                               .units = "bit",
                               .description = description,
                               .provenance = Provenance::message_sizes,
                               .kind = Metric::Kind::sum,
                               .depends_on_ranks = depends_on_ranks,
                               .better = Metric::Better::lower,
                               .runs = Metric::Runs::decentralised});
  }
};

/// The hosted nodes of a rank. A node's gradient passes through the stages of ClientSide up to its
/// release; the method turns it into a vector to send for each channel, which is compressed and
/// encoded. Every message is decoded once by each rank that hosts its sender or a neighbour, and
/// added to the sums of these nodes in ascending order of the senders: the result is bit-identical
/// for any number of ranks.
class NodeSide {
 public:
  /// All arguments must outlive this object. `tap`, which may be null, gets the messages of all
  /// nodes in every channel, with its number as round. Collective.
  NodeSide(const Plan& plan, Assembly& parts, Ranks& ranks, UplinkTap* tap);

  /// Takes the hosted nodes from the state after `round` rounds to the next one. Collective.
  void run(std::uint32_t round, PhaseTimer& timer);
  /// Writes the mean of all nodes' models to the model of rank 0. Collective.
  void average();
  /// Returns the first failure of a round since the start, of several the one of the smallest node:
  /// the same on every rank, for any number of ranks, with the reason on rank 0 only. Ranks go on
  /// after a failure, since only the host of the node knows of it. Collective.
  std::optional<NodeFailure> failure();
  /// Returns the number of hosted nodes, and the model of the node in `slot`.
  std::size_t count() const { return models_.size(); }
  ConstView model(std::size_t slot) const { return models_[slot]; }
  /// Saves or restores the state of the node in `slot`.
  void persist(std::size_t slot, State& state);

 private:
  Node node(std::size_t slot, std::uint32_t round);
  PeerLists peer_lists() const;
  void send(std::uint32_t round, std::uint32_t slot, const Released& y);
  void notice(NodeFailure failure);
  void check_finite(std::uint32_t round, std::uint32_t node, const SparseView& sent);
  void show(std::uint32_t step, const Packets& mine);
  void mix(std::uint32_t round, std::size_t channel, std::span<const NodeMessage> messages);
  void add(std::uint32_t round, std::size_t channel, std::uint32_t sender, const SparseView& sent);
  void count_bits(std::uint32_t sender);
  SparseView scaled(const SparseView& sent);
  // Messages of two channels have different masks and different rounding.
  std::uint32_t step(std::uint32_t round, std::size_t channel) const {
    return static_cast<std::uint32_t>(outboxes_.size() * round + channel);
  }
  Key mask(std::uint32_t node, std::uint32_t round, std::size_t channel) const {
    return {plan_.seed, Purpose::mask, node, step(round, channel)};
  }

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  const Graph& graph_;
  std::uint32_t first_, hosted_;
  std::unique_ptr<NodeMethod> method_;
  std::unique_ptr<Compressor> sender_, receiving_;
  Receiver receiver_;
  std::vector<Outbox> outboxes_;  ///< by channel
  Message message_;               ///< scratch memory
  Vector gradient_;               ///< scratch memory: the released gradient for later channels
  double factor_;                 ///< on messages
  Vector scaled_;                 ///< scratch memory
  std::unique_ptr<NodeExchange> exchange_;
  using Doubles = Node::Doubles;
  std::vector<Vector> models_;                     ///< by slot
  std::vector<std::vector<Doubles>> vectors_;      ///< by slot
  std::vector<std::vector<Doubles>> own_, mixed_;  ///< by slot and channel
  std::vector<std::uint32_t> everyone_;            ///< on this rank
  UplinkTap* tap_;
  std::vector<ClientInputs> inputs_;  ///< by slot: every node starts at its own model
  BitMetrics bits_;
  EdgeMetrics edges_;
  std::optional<NodeFailure> failure_;  ///< first failure of a hosted node
  std::uint64_t counted_bytes_ = 0;     ///< bytes handed to MPI that edges_.mpi_bits has
};

}  // namespace trilemma
