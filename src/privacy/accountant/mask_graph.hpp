#pragma once
// Neighbours of clients in secure aggregation.

#include <cstdint>

namespace trilemma::accounting {

/// Clients, of which some may work with the server and some may drop out of a round.
struct MaskTask {
  std::uint32_t clients = 1;
  std::uint32_t corrupt = 0;   ///< A
  std::uint32_t dropouts = 0;  ///< D
};

/// Number of neighbours with which a client shares masks, and of those who restore a key.
struct MaskGraph {
  std::uint32_t degree = 0;     ///< k, even, or n - 1
  std::uint32_t threshold = 0;  ///< t
};

/// Returns the least even k, and the least t >= k/3, for which, with X of a client's neighbours
/// corrupt and Y of them left (both hypergeometric),
///
///     n P[X >= t] < 2^-40,  n P[Y < t] < 2^-30,  n ((A + D) / n)^(k/2) < 2^-40
///
/// (Bell et al. 2020, section 3; the last one keeps the ring connected); or all other clients as
/// neighbours with t = A + 1, and 2 if two others are left, where no k < n - 1 suffices. Throws
/// std::invalid_argument if n - A - D < 2, so that a sum would be that of a single client.
MaskGraph mask_graph(const MaskTask& task);

}  // namespace trilemma::accounting
