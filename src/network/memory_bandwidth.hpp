#pragma once
// What memory gives all ranks together: the bound of computing that only streams.

#include "comm/communicator.hpp"

namespace trilemma {

/// Bytes of the three arrays of the triad on every rank.
inline constexpr std::size_t triad_bytes = std::size_t{3} << 24U;

/// Bytes a second that all ranks together move in a[i] = b[i] + s c[i] (the triad of McCalpin's
/// STREAM: 24 bytes an element), all ranks at once; of the fastest of ten passes, each as long as
/// on its slowest rank. Where the caches hold the arrays of all ranks it is theirs. Collective; the
/// same on all ranks.
double memory_bandwidth(const Communicator& ranks);

}  // namespace trilemma
