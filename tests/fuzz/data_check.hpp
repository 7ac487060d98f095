#pragma once

#include <string>

#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {

/// Finds the shape where the settings [data] of a source leave it to the files, reads and scales,
/// as a run does; then looks whether the records are what src/data/dataset.hpp says.
void load(const char* source, const std::string& toml, const testing::TempFolder& folder);

}  // namespace trilemma::fuzz
