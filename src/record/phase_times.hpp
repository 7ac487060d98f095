#pragma once

#include "h5/h5.hpp"

namespace trilemma {

/// Returns the extents of /phases/seconds: rows, ranks, phases. Times may be missing, since ranks
/// that joined at a restart have none for the rounds before it.
inline h5::Extents phase_extents(const h5::Dataset& seconds) {
  constexpr std::uint64_t most_missing = std::uint64_t{1} << 24U;
  return seconds.sparse_extents(3, most_missing);
}

}  // namespace trilemma
