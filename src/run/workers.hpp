#pragma once
// Parallel execution of tasks, such as the cells of a sweep, in several processes of this machine.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace trilemma {

constexpr std::size_t most_workers = 1024;

/// A task that a process works on, and how far it is.
struct RunningTask {
  std::size_t task = 0;
  std::int64_t done = 0, total = 0;  ///< steps; total is 0 until the first is reported
  double rate = 0;                   ///< steps per second; 0: not known yet
  double left = 0;                   ///< estimated seconds to the end, if the rate is known
};

/// Progress of the tasks.
struct Worked {
  std::size_t done = 0, failed = 0;
  std::vector<RunningTask> running = {};
};

/// Does the task with this number and returns whether it succeeded. It tells how many of its steps
/// are done, for RunningTask.
using TaskWork =
    std::function<bool(std::size_t, const std::function<void(std::int64_t, std::int64_t)>& tell)>;

/// Throws UserError in one of several ranks, each of which would start its own processes.
void require_one_rank(const char* command);

/// Calls `work` once for every number below `count`, in `workers` processes (at most most_workers)
/// without MPI, each of which takes the next number as soon as it is free. Lines
/// that the processes print to stderr are passed on, each distinct line once. If a process dies,
/// its current task fails, and another process replaces it. `tell` is called regularly with the
/// progress. A request to stop (comm/session.hpp) is passed on to the processes, whose runs
/// stop after their round; they receive it too if this process is killed. Throws LibraryError if no
/// process can be started.
Worked work_in_processes(std::size_t count, int workers, const TaskWork& work,
                         const std::function<void(const Worked&)>& tell);

}  // namespace trilemma
