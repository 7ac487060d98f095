#include "run/workers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/progress_line.hpp"
#include "comm/session.hpp"
#include "numeric/vectors.hpp"

namespace trilemma {
namespace {

constexpr std::size_t no_task = std::numeric_limits<std::size_t>::max();

// What one process does now; times are those of now_seconds().
struct Seat {
  std::atomic<std::size_t> task = no_task;
  std::atomic<std::int64_t> began = 0, done = 0, total = 0;
  std::atomic<double> began_at = 0, done_at = 0;
};

// Counters shared by the processes.
struct Board {
  std::atomic<std::size_t> next = 0, done = 0, failed = 0;
  std::array<Seat, most_workers> seats;
};
static_assert(std::atomic<std::size_t>::is_always_lock_free &&
              std::atomic<double>::is_always_lock_free);

// Records the steps of the task of a seat.
void note_step(Seat& seat, std::int64_t done, std::int64_t total) {
  const double now = now_seconds();
  if (seat.total == 0) {
    seat.began = done;
    seat.began_at = now;
  }
  seat.total = total;
  seat.done = done;
  seat.done_at = now;
}

RunningTask running_task(const Seat& seat, std::size_t task) {
  const std::int64_t done = seat.done;
  RunningTask found{.task = task, .done = done, .total = seat.total};
  const double seconds = seat.done_at - seat.began_at;
  if (done <= seat.began || seconds <= 0) return found;
  found.rate = static_cast<double>(done - seat.began) / seconds;
  found.left = std::max(
      0.0, static_cast<double>(found.total - done) / found.rate - (now_seconds() - seat.done_at));
  return found;
}

struct Unmap {
  void operator()(Board* board) const { munmap(board, sizeof *board); }
};

std::unique_ptr<Board, Unmap> shared_board() {
  void* place =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw LibraryError("no memory to be shared by processes");
  return std::unique_ptr<Board, Unmap>(new (place) Board);
}

// Collects what the processes print to stderr and prints each line once: a hundred cells may fail
// for one reason.
class Voices {
 public:
  Voices() {
    if (pipe2(end_, O_CLOEXEC) != 0) throw LibraryError("no pipe between processes");
    fcntl(end_[0], F_SETFL, O_NONBLOCK);
  }
  ~Voices() {
    std::fputs(text_.c_str(), stderr);  // rest of a line of a process that died
    close(end_[0]);
    close(end_[1]);
  }
  Voices(const Voices&) = delete;
  Voices& operator=(const Voices&) = delete;

  /// Called in a child: redirects stderr to the pipe.
  void speak() const {
    end_progress_line();  // a line of the parent, which replaces a process that died
    dup2(end_[1], STDERR_FILENO);
  }

  void listen() {
    char part[4096];
    for (ssize_t count = 0; (count = read(end_[0], part, sizeof part)) > 0;)
      text_.append(part, static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos;) {
      const std::string line = text_.substr(0, end + 1);
      text_.erase(0, end + 1);
      if (!said_.insert(line).second) continue;
      end_progress_line();
      std::fputs(line.c_str(), stderr);
    }
  }

 private:
  int end_[2] = {-1, -1};
  std::string text_;
  std::set<std::string> said_;
};

// A task may have limited the width of the kernels; the next task must not inherit the limit.
[[noreturn]] void work_through(Board& board, Seat& seat, std::size_t count, pid_t parent,
                               const TaskWork& work) {
  // If the parent is killed its children must end too, or a restarted sweep would run at the same
  // time.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  const unsigned bits = vector_target().bits;
  while (!stop_requested()) {
    const std::size_t piece = board.next++;
    if (piece >= count) break;
    bool is_good = false;
    seat.total = seat.done = 0;
    seat.task = piece;
    try {
      limit_vectors(bits);
      is_good =
          work(piece, [&](std::int64_t done, std::int64_t total) { note_step(seat, done, total); });
    } catch (const std::exception& error) {
      std::fprintf(stderr, "trilemma: %s\n", error.what());
    }
    seat.task = no_task;
    if (!is_good && stop_requested()) break;  // it can be resumed later
    ++(is_good ? board.done : board.failed);
  }
  std::fflush(nullptr);
  _exit(0);
}

class Workers {
 public:
  Workers(std::size_t count, const TaskWork& work)
      : count_(count), work_(work), board_(shared_board()) {}

  void start(int workers) {
    const pid_t parent = getpid();
    for (int i = 0; i < workers; ++i) {
      std::fflush(nullptr);  // buffered output must not be printed by both processes
      const pid_t process = fork();
      if (process < 0 && !any()) throw LibraryError("no process could be started");
      if (process < 0) return;
      const auto free = std::ranges::find(seated_, 0);
      const auto seat = static_cast<std::size_t>(free - seated_.begin());
      if (process == 0) {
        voices_.speak();
        work_through(*board_, board_->seats[seat], count_, parent, work_);
      }
      *free = process;
    }
  }

  Worked worked() const {
    Worked found{board_->done, board_->failed, {}};
    for (std::size_t i = 0; i < seated_.size(); ++i) {
      const std::size_t task = board_->seats[i].task;
      if (seated_[i] != 0 && task != no_task)
        found.running.push_back(running_task(board_->seats[i], task));
    }
    return found;
  }

  // Returns whether any process is still running.
  bool look() {
    const bool goes_on = reap();
    voices_.listen();
    return goes_on;
  }

  void stop() const {
    for (const pid_t process : seated_)
      if (process != 0) kill(process, SIGTERM);
  }

 private:
  bool any() const {
    return std::ranges::any_of(seated_, [](pid_t process) { return process != 0; });
  }

  bool reap() {
    int dead = 0;
    for (std::size_t i = 0; i < seated_.size(); ++i) {
      int status = 0;
      if (seated_[i] == 0 || waitpid(seated_[i], &status, WNOHANG) != seated_[i]) continue;
      seated_[i] = 0;
      board_->seats[i].task = no_task;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      ++dead;
      ++board_->failed;
    }
    if (dead > 0 && !stop_requested() && board_->next < count_) start(dead);
    return any();
  }

  std::size_t count_;
  const TaskWork& work_;
  std::unique_ptr<Board, Unmap> board_;
  Voices voices_;
  std::array<pid_t, most_workers> seated_{};  // process of each seat of the board; 0: none
};

}  // namespace

void require_one_rank(const char* command) {
  const int ranks = launched_ranks();
  require(
      ranks == 1,
      "{} starts its own processes (--jobs), but was started on {} ranks; start it without mpirun, or run single cells on several ranks with --run",
      command, ranks);
}

Worked work_in_processes(std::size_t count, int workers, const TaskWork& work,
                         const std::function<void(const Worked&)>& tell) {
  listen_for_stop_requests();
  Workers all(count, work);
  all.start(static_cast<int>(std::min<std::size_t>(count, static_cast<std::size_t>(workers))));
  bool is_stopped = false;
  while (all.look()) {
    tell(all.worked());
    if (stop_requested() && !is_stopped) {
      is_stopped = true;
      all.stop();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return all.worked();
}

}  // namespace trilemma
