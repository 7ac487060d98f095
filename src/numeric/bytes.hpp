#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Sets out[i] = factor * from[i] + offset, with one rounding after each of the two operations, so
/// that the result has the same bits on every processor.
void from_bytes(std::span<const std::uint8_t> from, real factor, real offset, View out);

}  // namespace trilemma
