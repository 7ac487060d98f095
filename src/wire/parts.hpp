#pragma once
// The parts of a message (values, levels and indices): their sizes, writing and reading.

#include "wire/bits.hpp"
#include "wire/layout.hpp"

namespace trilemma::wire {

/// Returns the number of bits before the first value.
unsigned value_header_bits(ValueFormat format);
void put_values(BitWriter& out, ValueFormat format, ConstView values);
void get_values(BitReader& in, ValueFormat format, View values);

/// Returns the bits of one level if all levels have the same width, otherwise 0.
unsigned level_bits(const Layout& layout);
/// Bits per trit: five trits share a byte.
inline constexpr double bits_of_a_trit = 1.6;
/// Returns the bits of `count` trits.
std::uint64_t trit_bits(std::size_t count);
std::uint64_t measure_levels(const Layout& layout, std::span<const std::int32_t> levels);
void put_levels(BitWriter& out, const Layout& layout, std::span<const std::int32_t> levels);
void get_levels(BitReader& in, const Layout& layout, std::span<std::int32_t> levels);

/// Entropy-coded levels (rans.cpp): size in bits, writing, reading.
std::uint64_t measure_rans(const Layout& layout, std::span<const std::int32_t> levels);
void put_rans(BitWriter& out, const Layout& layout, std::span<const std::int32_t> levels);
void get_rans(BitReader& in, const Layout& layout, std::span<std::int32_t> levels);

/// Adds the bits of `indices` to `measured`, and sets the code that is used.
void measure_indices(const Layout& layout, Coordinates indices, Measure& measured);
void put_indices(BitWriter& out, const Layout& layout, const Measure& measured,
                 Coordinates indices);
void get_indices(BitReader& in, const Layout& layout, std::span<std::uint32_t> indices);

}  // namespace trilemma::wire
