#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Puts the colours of each pixel next to each other in an image of `planes` planes, which follow
/// one another; `room` is scratch.
void interleave(std::size_t planes, View image, Vector& room);

}  // namespace trilemma
