// Preloaded into the program by tests. For test_disk_fault.py it makes one write to a file fail as
// on a disk that is full for a moment, and says so: TRILEMMA_FAIL_WRITE=N chooses the write,
// counted from 1, among those to files with TRILEMMA_FAIL_PATH in their name. For paused.py it
// holds the program when a file has got a name with TRILEMMA_HOLD_NAME in it, for the
// TRILEMMA_HOLD_AT-th time: the process writes its number into TRILEMMA_HOLD_FILE and waits until
// that file is gone.

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// Asked at every write: a file may get another name while it is open.
bool is_chosen(int file) {
  static const char* wanted = std::getenv("TRILEMMA_FAIL_PATH");
  char name[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = readlink(link.c_str(), name, sizeof name);
  return wanted != nullptr && length > 0 &&
         std::string(name, static_cast<std::size_t>(length)).find(wanted) != std::string::npos;
}

bool must_fail(int file) {
  static const char* wanted = std::getenv("TRILEMMA_FAIL_WRITE");
  static long seen = 0;
  return wanted != nullptr && is_chosen(file) && ++seen == std::atol(wanted);
}

using Write = ssize_t (*)(int, const void*, std::size_t, off_t);

ssize_t pass_on(const char* name, int file, const void* data, std::size_t size, off_t at) {
  if (must_fail(file)) {
    std::fprintf(stderr, "disk fault: %zu bytes at %lld\n", size, static_cast<long long>(at));
    errno = ENOSPC;
    return -1;
  }
  return reinterpret_cast<Write>(dlsym(RTLD_NEXT, name))(file, data, size, at);
}

using Rename = int (*)(const char*, const char*);

Rename original_rename() {
  static const auto found = reinterpret_cast<Rename>(dlsym(RTLD_NEXT, "rename"));
  return found;
}

// At most two minutes, should the test have died.
void hold(const char* file) {
  const std::string number = std::to_string(getpid()), unfinished = std::string(file) + ".new";
  std::FILE* gate = std::fopen(unfinished.c_str(), "w");
  if (gate == nullptr) return;
  std::fputs(number.c_str(), gate);
  std::fclose(gate);
  original_rename()(unfinished.c_str(), file);
  for (int i = 0; i < 12000 && access(file, F_OK) == 0; ++i) usleep(10000);
}

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
  static const char* part = std::getenv("TRILEMMA_HOLD_NAME");
  static const char* at = std::getenv("TRILEMMA_HOLD_AT");
  static const char* file = std::getenv("TRILEMMA_HOLD_FILE");
  static long seen = 0;
  const int code = original_rename()(from, to);
  const bool counts = part != nullptr && at != nullptr && file != nullptr && code == 0 &&
                      std::string(to).find(part) != std::string::npos;
  if (counts && ++seen == std::atol(at)) hold(file);
  return code;
}

ssize_t pwrite(int file, const void* data, std::size_t size, off_t at) {
  return pass_on("pwrite", file, data, size, at);
}
ssize_t pwrite64(int file, const void* data, std::size_t size, off64_t at) {
  return pass_on("pwrite64", file, data, size, at);
}
}
