#pragma once

#include <string>

#include "files/write_lock.hpp"
#include "h5/h5.hpp"

namespace trilemma {

class CheckpointReader;

/// Writes the run file that a checkpoint has kept to `path` + ".partial" and opens it to be
/// changed; `lock` goes from what it replaces to it. Throws UserError where it cannot be read.
h5::Handle extract_run_file(const CheckpointReader& checkpoint, const std::string& path,
                            WriteLock& lock);

}  // namespace trilemma
