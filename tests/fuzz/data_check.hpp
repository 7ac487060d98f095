#pragma once

#include <string>

#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {

/// When the records are looked at: values that are filled in later are not numbers before.
enum class Check { loaded, scaled };

/// Finds the shape where the settings [data] of a source leave it to the files, reads and scales,
/// as a run does; looks whether the records are what src/data/dataset.hpp says.
void load(const char* source, const std::string& toml, const testing::TempFolder& folder,
          Check check = Check::loaded);

}  // namespace trilemma::fuzz
