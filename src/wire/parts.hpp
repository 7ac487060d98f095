#pragma once
// The parts of a message: values, levels and indices, each with its size.

#include "wire/bits.hpp"
#include "wire/layout.hpp"

namespace trilemma::wire {

/// Bits before the first value.
unsigned value_header_bits(ValueFormat format);
void put_values(BitWriter& out, ValueFormat format, ConstView values);
void get_values(BitReader& in, ValueFormat format, View values);

/// Bits of one level where all have equally many; 0 where they have not.
unsigned level_bits(const Layout& layout);
/// Five in a byte.
inline constexpr double bits_of_a_trit = 1.6;
/// Bits of so many trits.
std::uint64_t trit_bits(std::size_t count);
std::uint64_t measure_levels(const Layout& layout, std::span<const std::int32_t> levels);
void put_levels(BitWriter& out, const Layout& layout, std::span<const std::int32_t> levels);
void get_levels(BitReader& in, const Layout& layout, std::span<std::int32_t> levels);

/// Levels by an entropy coder (rans.cpp).
std::uint64_t measure_rans(const Layout& layout, std::span<const std::int32_t> levels);
void put_rans(BitWriter& out, const Layout& layout, std::span<const std::int32_t> levels);
void get_rans(BitReader& in, const Layout& layout, std::span<std::int32_t> levels);

/// Adds their bits to `measured`, and which code they take.
void measure_indices(const Layout& layout, Coordinates indices, Measure& measured);
void put_indices(BitWriter& out, const Layout& layout, const Measure& measured,
                 Coordinates indices);
void get_indices(BitReader& in, const Layout& layout, std::span<std::uint32_t> indices);

}  // namespace trilemma::wire
