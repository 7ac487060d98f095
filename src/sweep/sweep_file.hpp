#pragma once

#include "sweep/sweep.hpp"

namespace trilemma {

/// Reads the file of a sweep: everything but its cells.
Sweep read_sweep_file(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace trilemma
