#pragma once
// Pieces of work, such as the cells of a sweep, in several processes of this machine.

#include <cstddef>
#include <functional>

namespace trilemma {

/// How far the pieces are.
struct Worked {
  std::size_t done = 0, failed = 0;
};

/// Refuses to go on in one of several ranks, each of which would start processes of its own.
void require_one_rank(const char* command);

/// Calls `work` once for every number below `count`, in `workers` processes without MPI that take
/// the next number as soon as they are free; it returns whether all went well. What they say on
/// stderr is passed on, the same line once. A process that dies fails the piece it was at, and
/// another takes its place. `tell` is called now and then. A signal that asks for a stop
/// (comm/stop_request.hpp) is passed on to the processes, whose runs stop after their round; where
/// this process is killed they get it likewise.
/// Throws LibraryError where no process can be started.
Worked work_in_processes(std::size_t count, int workers,
                         const std::function<bool(std::size_t)>& work,
                         const std::function<void(const Worked&)>& tell);

}  // namespace trilemma
