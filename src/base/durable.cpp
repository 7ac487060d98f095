#include "base/durable.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/write_error.hpp"

namespace trilemma {

void synchronise(int file, const std::string& path) {
  const bool is_done = fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
  if (!is_done) throw cannot_write(path, errno);
}

void synchronise(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw cannot_write(path, errno);
  try {
    synchronise(file, path);
  } catch (...) {
    close(file);
    throw;
  }
  close(file);
}

void publish(const std::string& temporary, const std::string& path) {
  synchronise(temporary);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) throw cannot_write(path, errno);
  const auto folder = std::filesystem::path(path).parent_path();
  synchronise(folder.empty() ? "." : folder.string());
}

bool is_locked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  // A shared lock, so that two processes that check at the same time do not mistake each other for
  // writers.
  const bool is_free = flock(file, LOCK_SH | LOCK_NB) == 0;
  close(file);
  return !is_free;
}

}  // namespace trilemma
