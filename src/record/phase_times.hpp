#pragma once

#include "h5/h5.hpp"

namespace trilemma {

/// Rows, ranks and phases of /phases/seconds. Ranks that joined at a restart have no times for the
/// rounds before it, so that some may never have been written.
inline h5::Extents phase_extents(const h5::Dataset& seconds) {
  constexpr std::uint64_t most_missing = std::uint64_t{1} << 24U;
  return seconds.sparse_extents(3, most_missing);
}

}  // namespace trilemma
