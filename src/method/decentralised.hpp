#pragma once
// Shared by decentralised methods.

#include "method/server_step.hpp"

namespace trilemma {

/// Step sizes of methods that send compressed differences from copies, and the start of the copies.
struct CopyOptions {
  double rate = 0.1, consensus = 0.05;
  bool starts_at_zero = false;
  void read(Reader& r);
};

/// Returns the slots of a decentralised method with minibatch gradients, whose noise and bound are
/// those of ldp-sgd for each node.
Method decentralised_method(Choice<NodeMethod>::Maker node);
/// Takes bound and noise from the slots of a method whose messages no claim covers: only `bound` is
/// left.
void leave_out_noise(const char* bound, Method& method);

}  // namespace trilemma
