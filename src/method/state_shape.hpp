#pragma once
// What a server keeps and broadcasts, and where a client's vector belongs in it.

#include "base/types.hpp"

namespace trilemma {

/// Sizes in reals; d is the number of coordinates of one model.
struct StateShape {
  std::size_t model = 0;   ///< d
  std::size_t state = 0;   ///< what the server keeps: models, or one and what goes with it
  std::size_t down = 0;    ///< what of it a client gets in a round: all, or nothing
  std::size_t up = 0;      ///< a client's vector, before it is compressed
  std::size_t stride = 0;  ///< that of client i belongs at i * stride in the state

  /// The state that belongs to a start model: in every block, or followed by zeros.
  Vector begin(Vector model) const;
  /// The model of all in a state: the first, or, written into `room`, the mean of the clients'
  /// blocks, summed in double.
  ConstView common(ConstView state, Vector& room) const;
};

using ShapeMaker = StateShape (*)(std::size_t model, std::size_t clients);

/// d values down, d values up.
StateShape plain_shape(std::size_t model, std::size_t clients);
/// Nothing travels; the state is the start model.
StateShape silent_shape(std::size_t model, std::size_t clients);
/// A model and a vector of its size, down and up.
StateShape paired_shape(std::size_t model, std::size_t clients);
/// A model for each client: all of them down, a client's own up.
StateShape blocks_shape(std::size_t model, std::size_t clients);

}  // namespace trilemma
