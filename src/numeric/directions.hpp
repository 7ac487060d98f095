#pragma once
// The common random directions of zeroth-order methods: drawn from the seed by every client and by
// the server, so that a coefficient stands for a whole vector.

#include <span>

#include "numeric/random.hpp"

namespace trilemma {

/// Writes the coordinates `first`, first + 1, ... of direction `number` of `round`: independent
/// N(0, 1), the same for all clients.
void draw_direction(std::uint64_t seed, std::uint32_t round, std::size_t number, std::size_t first,
                    std::span<double> out);

/// Sets x to x - rate sum_m scalars[m] z_m, where z_m is direction m of `round`. Sums are in
/// double, in the order of m; no direction is stored as a whole.
void move_along_directions(std::uint64_t seed, std::uint32_t round, ConstView scalars, double rate,
                           View x);

}  // namespace trilemma
