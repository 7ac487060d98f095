#pragma once
// Files from outside are read by a process of their own: a library that crashes or hangs on a
// damaged file (libhdf5 follows references into its global heap, where variable-length text lies,
// without looking at them) takes nothing else with it.

#include <functional>
#include <string>

#include "base/types.hpp"

namespace trilemma {

/// What `read` returns, made by a child of this process. What it throws is thrown here, a UserError
/// as such and anything else as LibraryError; a child that is killed, or that computes for longer
/// than `seconds` (and what the file's size takes), becomes a UserError that calls the file `path`
/// damaged: a damaged reference can send the library round in circles.
Bytes read_in_subprocess(const std::string& path, const std::function<Bytes()>& read,
                         unsigned seconds = 20);

/// The same for a command that prints: its exit code.
int run_in_subprocess(const std::string& path, const std::function<int()>& command,
                      unsigned seconds = 20);

}  // namespace trilemma
