#pragma once
// Shape of the state that a server keeps and broadcasts, and the position of a client's vector in
// it.

#include <functional>

#include "base/types.hpp"

namespace trilemma {

/// Sizes in numbers; d is the number of coordinates of one model.
struct StateShape {
  std::size_t model = 0;   ///< d
  std::size_t state = 0;   ///< length of the server's state: models, or one and more vectors
  std::size_t down = 0;    ///< length of the part that a client receives: all, or 0
  std::size_t up = 0;      ///< length of a client's vector before compression
  std::size_t stride = 0;  ///< the vector of client i starts at i * stride in the state

  /// Returns the length of the sum of the clients' vectors: that of one vector, or of the state if
  /// every client's vector has its own place in it.
  std::size_t sum() const { return stride == 0 ? up : state; }
  /// Returns the state for a start model: a copy in every block, or the model followed by zeros.
  Vector begin(Vector model) const;
  /// Returns the common model of a state: the first one, or the mean of the clients' blocks, summed
  /// in double and written into `room`.
  ConstView common(ConstView state, Vector& room) const;
};

using ShapeMaker = std::function<StateShape(std::size_t model, std::size_t clients)>;

/// Returns the shape with d values in both directions.
StateShape plain_shape(std::size_t model, std::size_t clients);
/// Returns the shape of decentralised methods: a node sends a vector, and no model comes from a
/// server.
StateShape node_shape(std::size_t model, std::size_t clients);
/// Returns the shape of methods that send nothing; the state is the start model.
StateShape silent_shape(std::size_t model, std::size_t clients);
/// Returns the shape with a model and a vector of the same length in both directions.
StateShape paired_shape(std::size_t model, std::size_t clients);
/// Returns the maker of the shape of methods whose clients send `scalars` numbers for a model of
/// any size.
ShapeMaker scalars_shape(std::size_t scalars);
/// Returns the shape with one model per client: all models down, the client's own block up.
StateShape blocks_shape(std::size_t model, std::size_t clients);

}  // namespace trilemma
