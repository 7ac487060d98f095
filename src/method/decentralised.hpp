#pragma once
// Shared by decentralised methods.

#include "method/server_step.hpp"

namespace trilemma {

/// Returns the slots of a decentralised method with minibatch gradients, whose noise and bound are
/// those of ldp-sgd for each node.
Method decentralised_method(Choice<NodeMethod>::Maker node);

}  // namespace trilemma
