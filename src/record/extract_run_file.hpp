#pragma once

#include <string>

#include "base/write_lock.hpp"
#include "h5/h5.hpp"

namespace trilemma {

class CheckpointReader;

/// Writes the run file stored in a checkpoint to `path` + ".partial" and opens it for changes;
/// `lock` moves to it from the file that it replaces. Throws UserError if the file cannot be read.
h5::File extract_run_file(const CheckpointReader& checkpoint, const std::string& path,
                          WriteLock& lock);

}  // namespace trilemma
