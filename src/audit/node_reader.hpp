#pragma once

#include "base/packets.hpp"
#include "compress/receiver.hpp"
#include "experiment/plan.hpp"
#include "method/node_method.hpp"

namespace trilemma {

/// Recovers the released gradients of all nodes from their messages, as any of their neighbours
/// could: it repeats the steps of every node, and the message of a node differs from the one that
/// it would send for the gradient 0 by the gradient times a number, coordinate by coordinate.
class NodeReader {
 public:
  /// `plan` is the plan of one run whose compressor sends all coordinates and whose nodes start at
  /// 0; it must outlive this object.
  explicit NodeReader(const Plan& plan);
  /// Takes the messages of all nodes in one channel, in the order of rounds and channels. Returns
  /// whether they complete a round.
  bool read(std::uint32_t step, const Packets& all);
  /// Returns the gradient that the node released in the last complete round.
  std::span<const double> gradient(std::uint32_t node) const { return nodes_[node].gradient; }

 private:
  using Doubles = Node::Doubles;
  struct Twin {
    Vector model;
    std::vector<Doubles> vectors, own, mixed;
    Doubles gradient;
  };

  Node node(std::uint32_t number, Twin& twin, std::uint32_t round) const;
  void find_gradient(std::uint32_t number, std::uint32_t round);
  void offer(std::uint32_t number, std::uint32_t round);
  void mix(std::uint32_t number, std::size_t channel);

  const Plan& plan_;
  std::unique_ptr<NodeMethod> method_;
  std::unique_ptr<Compressor> compressor_;
  Receiver receiver_;
  std::vector<Twin> nodes_;
  std::vector<std::vector<Doubles>> sent_;  ///< by channel and node
};

/// A channel whose message contains the gradient of its round.
struct Reveal {
  std::size_t channel = 0;
  double slope = 0;  ///< change of the message by a change of the gradient; 0 = no channel does
};
/// Returns where a method sends the gradient of a round in the same round.
Reveal reveal_of(const NodeMethod& method, std::uint32_t round);

}  // namespace trilemma
