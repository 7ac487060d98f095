#include "base/write_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/write_error.hpp"

namespace trilemma {

WriteLock::WriteLock(std::string path) : path_(std::move(path)) {
  // A process that only checks whether a file is locked holds its lock briefly.
  constexpr int most_tries = 50;
  constexpr std::chrono::milliseconds pause(20);
  for (int i = 0; i < most_tries; ++i) {
    if (try_to_lock()) return;
    std::this_thread::sleep_for(pause);
  }
  throw UserError(fmt::format(
      "{}: another run is writing to it; wait for it, or choose another --output", path_));
}

WriteLock::WriteLock(WriteLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

WriteLock& WriteLock::operator=(WriteLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

bool WriteLock::try_to_lock() {
  constexpr mode_t mode = 0666;
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
  const int error = errno;
  require(file_ >= 0 || error != ELOOP,
          "{}: a symbolic link, through which nothing is written; remove it, or choose another "
          "--output",
          path_);
  if (file_ < 0) throw cannot_write(path_, error);
  struct stat locked {};
  struct stat named {};
  if (fstat(file_, &locked) != 0 || !S_ISREG(locked.st_mode)) {
    close(std::exchange(file_, -1));
    throw UserError(fmt::format(
        "{}: there is something that is not a run file; choose another --output", path_));
  }
  // A file system without locks cannot report that another process holds one.
  const bool is_free = flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  // Meanwhile the name may belong to another file, or the file may have been renamed.
  const bool is_same = lstat(path_.c_str(), &named) == 0 && named.st_dev == locked.st_dev &&
                       named.st_ino == locked.st_ino;
  if (!is_free || !is_same) close(std::exchange(file_, -1));
  return file_ >= 0;
}

void WriteLock::rename(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) throw cannot_write(path, errno);
  path_ = path;
}

void WriteLock::release() {
  if (file_ < 0) return;
  struct stat now {};
  struct stat named {};
  if (fstat(file_, &now) == 0 && now.st_size == 0 && lstat(path_.c_str(), &named) == 0 &&
      named.st_ino == now.st_ino && named.st_dev == now.st_dev)
    unlink(path_.c_str());
  close(std::exchange(file_, -1));
}

}  // namespace trilemma
