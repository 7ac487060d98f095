#pragma once
// Runs functions in a subprocess, for files from outside: a library that crashes or hangs on a
// damaged file (libhdf5 follows references into its global heap, which holds variable-length text,
// without checking them) then affects nothing else.

#include <functional>
#include <string>

#include "base/state.hpp"
#include "base/types.hpp"

namespace trilemma {

/// Memory of a child process: in proportion to its file, or any, for compressed values.
enum class ChildMemory { by_file_size, any };

/// Returns the result of `read`, which runs in a child process. An exception of `read` is rethrown:
/// a UserError as such, any other as LibraryError. A child that is killed, or computes for longer
/// than `seconds` plus an allowance for the size of the file, causes a UserError that calls the
/// file `path` damaged: a damaged reference can put the library into an endless loop. So does a
/// child that needs much more `memory` than the file has bytes.
Bytes read_in_subprocess(const std::string& path, const std::function<Bytes()>& read,
                         unsigned seconds = 20, ChildMemory memory = ChildMemory::by_file_size);

/// Returns the result of `examine`, which has a function persist(State&), in the same way.
template <class Examine>
auto found_in_subprocess(const std::string& path, const Examine& examine, unsigned seconds = 20,
                         ChildMemory memory = ChildMemory::by_file_size) {
  const auto saved = [&examine] {
    auto found = examine();
    Bytes out;
    State state = State::saving(out);
    found.persist(state);
    return out;
  };
  const Bytes bytes = read_in_subprocess(path, saved, seconds, memory);
  decltype(examine()) found;
  State state = State::restoring(bytes);
  found.persist(state);
  return found;
}

/// Runs a command that prints in a child process, under the same rules; returns its exit code.
int run_in_subprocess(const std::string& path, const std::function<int()>& command,
                      unsigned seconds = 20);

}  // namespace trilemma
