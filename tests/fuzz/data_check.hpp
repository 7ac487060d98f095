#pragma once

#include <string>

#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {

/// Reads and scales, as a run does, with the settings [data] of a source; then looks whether the
/// records are what src/data/dataset.hpp says.
void load(const char* source, const std::string& toml, const testing::TempFolder& folder);

}  // namespace trilemma::fuzz
