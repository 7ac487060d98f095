#pragma once
// Inner loops of compressors, compiled for every set of vector instructions.

#include "base/types.hpp"

namespace trilemma {

/// Rounds each float at random and without bias to fewer bits: adds random bits below the last bit
/// that is kept and drops the bits in `dropped`, so the probability of a carry is the dropped
/// fraction. Values that are not finite stay as they are.
void round_fractions(std::uint32_t dropped, std::span<const std::uint32_t> words, View values);

/// Quantises z as QSGD does: x = |z_i| * steps is rounded at random to one of the two adjacent
/// integers, with mean x and at most `most`. Levels have the sign of z_i.
void dither(ConstView z, double steps, std::int32_t most, std::span<const std::uint32_t> words,
            std::span<std::int32_t> levels);
/// Sets values[i] = step * levels[i].
void times_levels(float step, std::span<const std::int32_t> levels, View values);

/// Writes the coordinates whose magnitude has at least the rank `least` (size_rank of
/// compress/selection.hpp) to `out`, ascending, and returns their number. `out` must have room for
/// one coordinate more than z has.
std::size_t find_from(ConstView z, std::uint64_t least, std::uint32_t* out);

}  // namespace trilemma
