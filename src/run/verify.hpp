#pragma once

#include "claim/verify.hpp"

namespace trilemma {

/// Reads a run file and recomputes its claim from the resolved configuration in it, through the
/// same table of theorems as a run does; compares every recorded field and the attributes of the
/// run with what follows. Refuses what is not a run file.
Verification verify_file(const std::string& path);

}  // namespace trilemma
