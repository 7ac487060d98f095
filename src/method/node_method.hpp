#pragma once
// Interface of decentralised methods: what a node does with its released gradient and with the
// messages of its neighbours.

#include <span>
#include <vector>

#include "base/support.hpp"
#include "base/types.hpp"

namespace trilemma {

/// The state of a node.
struct Node {
  View model;                 ///< x_i
  std::span<Vector> vectors;  ///< further vectors, as many as NodeMethod::vectors()
  std::span<double> mixed;    ///< sum over j of w_ij q_j, j the neighbours and i itself
  double own_weight = 0;      ///< w_ii
};

/// A decentralised method. In a round every node gets an estimate y_i of its gradient at x_i, which
/// is released: it carries the node's noise, if the method has any. The node then sends one message
/// to all of its neighbours, which stands for q_i. Everything here is post-processing of released
/// vectors; no method sees records.
class NodeMethod {
 public:
  virtual ~NodeMethod() = default;
  /// Returns the number of vectors that a node stores in addition to its model.
  virtual std::size_t vectors() const { return 0; }
  /// Returns whether Node::mixed sums the messages of all rounds instead of those of one.
  virtual bool keeps_sums() const { return false; }
  /// Returns whether a node sends differences from what its neighbours know of it, so that what
  /// compression loses is sent later. The compressor may then be biased, and q_i is C(z) / (1 +
  /// omega) for an unbiased one with omega >= 1, which contracts.
  virtual bool compensates() const { return false; }
  /// Initialises the vectors and sums of a node, which are 0, at its start model.
  virtual void start(Node&) const {}
  /// Takes the released gradient `y`, and replaces it by the vector that the node sends after
  /// compression.
  virtual void offer(Node& node, View y) const = 0;
  /// Receives q_i, the node's own message as its neighbours decode it, before combine().
  virtual void sent(Node&, const SparseView&) const {}
  /// Ends the round, once all messages of the round are in Node::mixed.
  virtual void combine(Node& node) const = 0;
};

}  // namespace trilemma
