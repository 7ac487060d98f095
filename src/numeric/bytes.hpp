#pragma once

#include "base/types.hpp"

namespace trilemma {

/// out[i] = factor from[i] + offset, rounded after either: the same bits on every processor.
void from_bytes(std::span<const std::uint8_t> from, real factor, real offset, View out);

}  // namespace trilemma
