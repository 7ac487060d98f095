#pragma once
// The inner loops of compressors, compiled for every set of vector instructions.

#include "base/types.hpp"

namespace trilemma {

/// Adds random bits below the last bit of a float that is kept, and drops them: the probability of
/// a carry is the fraction that is dropped. What is not finite stays.
void round_fractions(std::uint32_t dropped, std::span<const std::uint32_t> words, View values);

/// QSGD: x = |z_i| steps is rounded to the level below or above, at random with mean x; `most` is
/// the highest one. Levels have the sign of z_i.
void dither(ConstView z, double steps, std::int32_t most, std::span<const std::uint32_t> words,
            std::span<std::int32_t> levels);
/// values[i] = step levels[i].
void times_levels(float step, std::span<const std::int32_t> levels, View values);

/// The coordinates whose size has this rank (size_rank of compress/selection.hpp) or a higher one,
/// in ascending order, into `out`, which has room for one more than there are values. Returns their
/// number.
std::size_t find_from(ConstView z, std::uint64_t least, std::uint32_t* out);

/// The Hadamard transform of v, whose size is a power of two, times `share`; T is float or double.
template <class T>
void hadamard(std::span<T> v, T share);
template <>
void hadamard(std::span<float> v, float share);
template <>
void hadamard(std::span<double> v, double share);

}  // namespace trilemma
