#pragma once
// Interface of decentralised methods: what a node does with its released gradient and with the
// messages of its neighbours.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace trilemma {

/// The state of a node. What is not a model or a gradient is in double: sums of messages of many
/// rounds, and what they are compared with, would otherwise move the mean of the nodes by their
/// rounding.
struct Node {
  using Doubles = std::vector<double>;
  View model;                  ///< x_i
  std::span<Doubles> vectors;  ///< further vectors, as many as NodeMethod::vectors()
  std::span<Doubles> own;      ///< by channel: q_i, as the node's neighbours decode it
  std::span<Doubles> mixed;  ///< by channel: sum over j of w_ij q_j, j the neighbours and i itself
  double own_weight = 0;     ///< w_ii
  std::uint32_t round = 0;   ///< number of rounds that have ended
};

/// A decentralised method. In a round every node gets an estimate y_i of its gradient at x_i, which
/// is released: it carries the node's noise, if the method has any. The node then sends one message
/// for each channel to all of its neighbours, which stands for q_i. Everything here is
/// post-processing of released vectors; no method sees records.
class NodeMethod {
 public:
  virtual ~NodeMethod() = default;
  /// Returns the number of vectors that a node stores in addition to its model.
  virtual std::size_t vectors() const { return 0; }
  /// Returns the number of messages that a node sends in a round.
  virtual std::size_t channels() const { return 1; }
  /// Returns whether Node::own and Node::mixed sum the messages of all rounds instead of those of
  /// one. Node::own is then the copy of a vector of the node that all its neighbours know.
  virtual bool keeps_sums() const { return false; }
  /// Returns whether the method uses Node::own, which is empty otherwise.
  virtual bool hears_itself() const { return true; }
  /// Returns whether a node sends differences from what its neighbours know of it, so that what
  /// compression loses is sent later. The compressor may then be biased, and q_i is C(z) / (1 +
  /// omega) for an unbiased one with omega >= 1, which contracts.
  virtual bool compensates() const { return false; }
  /// Returns the number that all eigenvalues of the mixing matrix must exceed.
  virtual double eigenvalues_above() const { return -1; }
  /// Initialises the vectors and sums of a node, which are 0, at its start model.
  virtual void start(Node&) const {}
  /// Takes the released gradient `y`, and replaces it by the vector that the node sends through
  /// `channel` after compression. Called once for each channel in ascending order, with the same
  /// gradient, before any message of the round is delivered.
  virtual void offer(std::size_t channel, Node& node, View y) const = 0;
  /// Ends the round, once the messages of all channels are in Node::own and Node::mixed.
  virtual void combine(Node& node) const = 0;
};

}  // namespace trilemma
