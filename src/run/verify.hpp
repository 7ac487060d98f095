#pragma once

#include "claim/verify.hpp"

namespace trilemma {

/// Reads a run file and recomputes its claim from the resolved configuration in it, through the
/// same table of theorems as a run; compares every recorded field and the attributes of the run
/// with the recomputed ones. Throws UserError if the file is not a run file.
Verification verify_file(const std::string& path);

}  // namespace trilemma
