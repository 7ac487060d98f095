#pragma once
// Parallel execution of tasks, such as the cells of a sweep, in several processes of this machine.

#include <cstddef>
#include <functional>

namespace trilemma {

/// Progress of the tasks.
struct Worked {
  std::size_t done = 0, failed = 0;
};

/// Throws UserError in one of several ranks, each of which would start its own processes.
void require_one_rank(const char* command);

/// Calls `work` once for every number below `count`, in `workers` processes without MPI, each of
/// which takes the next number as soon as it is free; `work` returns whether it succeeded. Lines
/// that the processes print to stderr are passed on, each distinct line once. If a process dies,
/// its current task fails, and another process replaces it. `tell` is called regularly with the
/// progress. A request to stop (comm/stop_request.hpp) is passed on to the processes, whose runs
/// stop after their round; they receive it too if this process is killed. Throws LibraryError if no
/// process can be started.
Worked work_in_processes(std::size_t count, int workers,
                         const std::function<bool(std::size_t)>& work,
                         const std::function<void(const Worked&)>& tell);

}  // namespace trilemma
