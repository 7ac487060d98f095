#include "base/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/durable.hpp"

namespace trilemma {
namespace {

constexpr int for_writing = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Returns a name that no other process of this machine uses now. A process of another machine may
// use it in a shared folder, and a killed process may have left it.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}.{}-{}.tmp", path, getpid(), ++count);
}

// Number of names to try. Each is in use only by a rare coincidence.
constexpr int most_names = 10'000;

// Opens a new file under a temporary name that did not exist. Throws WriteError.
OutputFile temporary_file(const std::string& path) {
  for (int left = most_names - 1;; --left) {
    try {
      return OutputFile(temporary_name(path));
    } catch (const WriteError& error) {
      if (error.error() != EEXIST || left == 0) throw;
    }
  }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  constexpr mode_t mode = 0666;
  file_ = open(path_.c_str(), for_writing, mode);
  if (file_ < 0) throw cannot_write(path_, errno);
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  ::close(file_);
  unlink(path_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw cannot_write(path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void OutputFile::close() {
  // Some file systems report only now that there is no room.
  synchronise(file_, path_);
  if (::close(std::exchange(file_, -1)) == 0) return;
  const int error = errno;
  unlink(path_.c_str());
  throw cannot_write(path_, error);
}

void write_file(const std::string& path, std::string_view content) {
  std::error_code ignored;
  std::filesystem::create_directories(folder_of(path), ignored);
  OutputFile file = temporary_file(path);
  const std::string& temporary = file.path();
  file.write(std::as_bytes(std::span(content)));
  file.close();
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return synchronise(folder_of(path));
  const int error = errno;
  unlink(temporary.c_str());
  throw cannot_write(path, error);
}

SpaceReserve::SpaceReserve(const std::string& path, std::size_t bytes) {
  std::string name;
  constexpr mode_t mode = 0600;
  for (int left = most_names; left > 0; --left) {
    name = temporary_name(path);
    file_ = open(name.c_str(), for_writing, mode);
    if (file_ >= 0 || errno != EEXIST) break;
  }
  if (file_ < 0) return;
  unlink(name.c_str());
  if (posix_fallocate(file_, 0, static_cast<off_t>(bytes)) != 0) release();
}

SpaceReserve::SpaceReserve(SpaceReserve&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

SpaceReserve& SpaceReserve::operator=(SpaceReserve&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

void SpaceReserve::release() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace trilemma
