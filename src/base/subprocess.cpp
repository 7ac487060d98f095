#include "base/subprocess.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "base/state.hpp"

namespace trilemma {
namespace {

// Reading rate from which the allowance for the size of the file is computed.
constexpr rlim_t bytes_per_second = 20'000'000;

rlim_t most_seconds(const std::string& path, unsigned granted) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return granted + (error ? 0 : static_cast<rlim_t>(size) / bytes_per_second);
}

// Limits the memory that this process may reserve in addition to what it has by the file: damaged
// text can have any length. Does nothing if the system does not report what it has.
void limit_memory(const std::string& path) {
  constexpr double least = 1 << 30;
  constexpr double copies = 16;  // of the values of the file, at different stages
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  double pages = 0;
  rlimit memory{};
  if (error || !(std::ifstream("/proc/self/statm") >> pages) || getrlimit(RLIMIT_AS, &memory) != 0)
    return;
  const double wanted = pages * static_cast<double>(sysconf(_SC_PAGESIZE)) + least +
                        copies * static_cast<double>(size);
  memory.rlim_cur = std::min(memory.rlim_cur, static_cast<rlim_t>(wanted));
  setrlimit(RLIMIT_AS, &memory);
}

// First byte of the child's answer.
constexpr char good = 'g', mistake = 'm', broken = 'b';

void persist(State& state, Mistake& mistake) {
  for (std::string* text :
       {&mistake.place.file, &mistake.key, &mistake.value, &mistake.problem, &mistake.remedy})
    state.values(*text);
  state.value(mistake.place.line);
}

void send(int pipe, char kind, std::span<const std::byte> content) {
  const auto put = [pipe](const char* from, std::size_t size) {
    while (size > 0) {
      const ssize_t done = write(pipe, from, size);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return;
      from += done;
      size -= static_cast<std::size_t>(done);
    }
  };
  put(&kind, 1);
  put(reinterpret_cast<const char*>(content.data()), content.size());
}

// Runs in the child, which must not flush buffers or run exit handlers of the parent.
[[noreturn]] void answer(int pipe, rlim_t most, const std::function<Bytes()>& read) {
  const rlimit no_core{0, 0};
  const rlimit seconds{most, most};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_CPU, &seconds);
  try {
    const Bytes content = read();
    flush_standard_output();
    send(pipe, good, content);
  } catch (const UserError& error) {
    Bytes fields;
    State state = State::saving(fields);
    Mistake found = error.mistake();
    persist(state, found);
    send(pipe, mistake, fields);
  } catch (const std::bad_alloc&) {
    std::abort();  // the parent then calls the file damaged
  } catch (const std::exception& error) {
    send(pipe, broken, std::as_bytes(std::span(std::string_view(error.what()))));
  }
  // Prints what a command has written to the buffer before it ended, however it ended.
  std::fflush(stdout);
  _exit(0);
}

std::string received(int pipe) {
  std::string all;
  for (std::array<char, 65536> piece;;) {
    const ssize_t size = read(pipe, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(size));
  }
}

void expect_good(bool is_good) {
  if (!is_good) throw LibraryError(fmt::format("cannot start a process: {}", std::strerror(errno)));
}

}  // namespace

Bytes read_in_subprocess(const std::string& path, const std::function<Bytes()>& read,
                         unsigned seconds, ChildMemory memory) {
  int ends[2];
  expect_good(pipe2(ends, O_CLOEXEC) == 0);
  const rlim_t most = most_seconds(path, seconds);
  // Otherwise buffered output would be printed by both processes.
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    // A crash is the file's, whatever code of others has run before (CrashReport).
    for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(crash, SIG_DFL);
    close(ends[0]);
    if (memory == ChildMemory::by_file_size) limit_memory(path);
    answer(ends[1], most, read);
  }
  close(ends[1]);
  const std::string all = child > 0 ? received(ends[0]) : std::string();
  close(ends[0]);
  expect_good(child > 0);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  // The reader of the output has closed the pipe (`| head`), which says nothing about the file:
  // ends in the same way as the child.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  const bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !all.empty();
  require(is_whole,
          "{}: the HDF5 library breaks down on it ({}), so it is damaged; take one that is whole, "
          "or run it again",
          path, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no answer");
  const auto content = std::as_bytes(std::span(all).subspan(1));
  if (all[0] == mistake) {
    Mistake found;
    State state = State::restoring(content);
    persist(state, found);
    throw UserError(std::move(found));
  }
  if (all[0] == broken) throw LibraryError(all.substr(1));
  return {content.begin(), content.end()};
}

int run_in_subprocess(const std::string& path, const std::function<int()>& command,
                      unsigned seconds) {
  const Bytes code = read_in_subprocess(
      path,
      [&command] {
        const auto number = static_cast<unsigned char>(command());
        return Bytes{std::byte{number}};
      },
      seconds);
  return code.empty() ? 0 : static_cast<int>(code.front());
}

}  // namespace trilemma
