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
/// left. Refuses a sigma above 0, and an epsilon that a sigma of 0 does not override, if they come
/// from the command line or a sweep, or from a file that chooses the method itself. `why` is the
/// part of a sentence that says what is not private.
void leave_out_noise(Settings& experiment, const char* bound, const char* why, Method& method);

}  // namespace trilemma
