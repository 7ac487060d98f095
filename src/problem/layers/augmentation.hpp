#pragma once
// Changes of images: random crops and reflections in minibatches, and another order of colours.

#include "base/types.hpp"
#include "numeric/random.hpp"

namespace trilemma {

/// What happens to an image before each local step that uses it: it is shifted by up to `crop`
/// pixels in both directions, as a random crop of the image in a frame of that width, and mirrored
/// with probability 1/2 if `flips`.
struct Augmentation {
  std::size_t crop = 0;
  bool flips = false;
  bool is_on() const { return crop > 0 || flips; }
};

/// A square image, plane by plane.
struct ImagePlanes {
  std::size_t side = 0, planes = 1;
};

/// Augments the image of one record; `fill` has the value of the pixels that move in, by plane.
/// `key` addresses the minibatch, and `record` the record in the shard of the client.
void augment(const Augmentation& how, const ImagePlanes& shape, ConstView fill, const Key& key,
             std::uint32_t record, View image);

/// Puts the colours of each pixel next to each other in an image of `planes` planes, which follow
/// one another; `room` is scratch.
void interleave(std::size_t planes, View image, Vector& room);

}  // namespace trilemma
