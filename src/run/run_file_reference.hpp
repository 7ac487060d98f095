#pragma once

#include <string>

namespace trilemma {

/// Returns docs/reference/run-file-fields.md: the attributes of a run file, from the tables by
/// which they are written, and the values that `trilemma show --json` adds.
std::string run_file_reference();

}  // namespace trilemma
