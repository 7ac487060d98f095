#include "run/workers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/check.hpp"
#include "comm/session.hpp"
#include "comm/stop_request.hpp"
#include "numeric/vectors.hpp"

namespace trilemma {
namespace {

// Counters shared by the processes.
struct Board {
  std::atomic<std::size_t> next = 0, done = 0, failed = 0;
};
static_assert(std::atomic<std::size_t>::is_always_lock_free);

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
  void speak() const { dup2(end_[1], STDERR_FILENO); }

  void listen() {
    char part[4096];
    for (ssize_t count = 0; (count = read(end_[0], part, sizeof part)) > 0;)
      text_.append(part, static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos;) {
      const std::string line = text_.substr(0, end + 1);
      text_.erase(0, end + 1);
      if (said_.insert(line).second) std::fputs(line.c_str(), stderr);
    }
  }

 private:
  int end_[2] = {-1, -1};
  std::string text_;
  std::set<std::string> said_;
};

// A task may have limited the width of the kernels; the next task must not inherit the limit.
[[noreturn]] void work_through(Board& board, std::size_t count, pid_t parent,
                               const std::function<bool(std::size_t)>& work) {
  // If the parent is killed its children must end too, or a restarted sweep would run at the same
  // time.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  const unsigned bits = vector_target().bits;
  while (!stop_requested()) {
    const std::size_t piece = board.next++;
    if (piece >= count) break;
    bool is_good = false;
    try {
      limit_vectors(bits);
      is_good = work(piece);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "trilemma: %s\n", error.what());
    }
    if (!is_good && stop_requested()) break;  // it can be resumed later
    ++(is_good ? board.done : board.failed);
  }
  std::fflush(nullptr);
  _exit(0);
}

class Workers {
 public:
  Workers(std::size_t count, const std::function<bool(std::size_t)>& work)
      : count_(count), work_(work), board_(shared_board()) {}

  void start(int workers) {
    const pid_t parent = getpid();
    for (int i = 0; i < workers; ++i) {
      std::fflush(nullptr);  // buffered output must not be printed by both processes
      const pid_t process = fork();
      if (process < 0 && processes_.empty()) throw LibraryError("no process could be started");
      if (process < 0) return;
      if (process == 0) {
        voices_.speak();
        work_through(*board_, count_, parent, work_);
      }
      processes_.push_back(process);
    }
  }

  Worked worked() const { return {board_->done, board_->failed}; }

  // Returns whether any process is still running.
  bool look() {
    const bool goes_on = reap();
    voices_.listen();
    return goes_on;
  }

  void stop() const {
    for (const pid_t process : processes_) kill(process, SIGTERM);
  }

 private:
  bool reap() {
    std::vector<pid_t> ended;
    int dead = 0;
    for (const pid_t process : processes_) {
      int status = 0;
      if (waitpid(process, &status, WNOHANG) != process) continue;
      ended.push_back(process);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      ++dead;
      ++board_->failed;
    }
    for (const pid_t process : ended) std::erase(processes_, process);
    if (dead > 0 && !stop_requested() && board_->next < count_) start(dead);
    return !processes_.empty();
  }

  std::size_t count_;
  const std::function<bool(std::size_t)>& work_;
  std::unique_ptr<Board, Unmap> board_;
  Voices voices_;
  std::vector<pid_t> processes_;
};

}  // namespace

void require_one_rank(const char* command) {
  const int ranks = launched_ranks();
  require(
      ranks == 1,
      "{} starts its own processes (--jobs), but was started on {} ranks; start it without mpirun, or run single cells on several ranks with --run",
      command, ranks);
}

Worked work_in_processes(std::size_t count, int workers,
                         const std::function<bool(std::size_t)>& work,
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
