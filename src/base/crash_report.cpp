#include "base/crash_report.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "base/progress_line.hpp"

namespace trilemma {
namespace {

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

std::atomic<const char*> running = nullptr;
char latest[256] = "";  // a copy: the place may be gone
char kept_results[4096] = "";
pid_t own_process = 0;
pthread_t own_thread;

// Only what may be called in a handler of signals.
void say(const char* text) {
  std::size_t left = std::strlen(text);
  while (left > 0) {
    const ssize_t written = ::write(STDERR_FILENO, text, left);
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

const char* cause(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "it used memory that is not its own";
    case SIGBUS:
      return "it used memory that does not exist";
    case SIGILL:
      return "an instruction that this processor does not have";
    case SIGFPE:
      return "a division by zero or an overflow";
    default:
      return "it called abort()";
  }
}

[[noreturn]] void end_process(int status) {
  ::syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

[[noreturn]] void end_with_results() {
  say("; results and checkpoints that were written before are kept");
  say(*kept_results == '\0' ? "" : " in ");
  say(kept_results);
  say("\n");
  end_process(exit_failed_run);
}

void report_crash(int signal) {
  const char* const place = running;
  end_progress_line();
  say("trilemma: ");
  if (place == nullptr) say("a crash, perhaps of memory that was damaged by ");
  say(place == nullptr ? latest : place);
  if (place != nullptr) say(" crashed");
  say(": ");
  say(cause(signal));
  end_with_results();
}

// Not for processes and threads that the code has started, nor for threads of MPI.
void report_exit_by(const char* function) {
  const char* const place = running;
  if (place == nullptr || ::getpid() != own_process ||
      pthread_equal(::pthread_self(), own_thread) == 0)
    return;
  end_progress_line();
  say("trilemma: ");
  say(place);
  say(" called ");
  say(function);
  say(", which ends the rank");
  end_with_results();
}

void report_exit() { report_exit_by("exit()"); }

// On a stack of its own, since a crash can be the end of the usual one.
void install() {
  static std::vector<char> stack(1U << 16U);
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  ::sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = report_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : crashes) ::sigaction(signal, &action, nullptr);
  std::atexit(report_exit);
  std::at_quick_exit(report_exit);
}

}  // namespace

CrashReport::CrashReport(const char* place) : outer_(running) {
  static const bool is_installed = (install(), true);
  static_cast<void>(is_installed);
  own_process = ::getpid();
  own_thread = ::pthread_self();
  running = place;
  std::strncpy(latest, place, sizeof latest - 1);
}

CrashReport::~CrashReport() { running = outer_; }

void CrashReport::name_results(const std::string& path) {
  std::strncpy(kept_results, path.c_str(), sizeof kept_results - 1);
}

}  // namespace trilemma

// These replace the functions of the C library in the program and, since the linker exports them
// (CMakeLists.txt), in the libraries that it loads: a rank that ends by _exit(0) would look like
// success.
extern "C" {
void _exit(int status) {
  trilemma::report_exit_by("_exit()");
  trilemma::end_process(status);
}
void _Exit(int status) noexcept {
  trilemma::report_exit_by("_Exit()");
  trilemma::end_process(status);
}
}
