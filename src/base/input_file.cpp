#include "base/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/check.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

constexpr std::size_t longest_path = 200;  // in a message

void require_regular(mode_t mode, const std::string& path, const InputWords& words) {
  require(!S_ISDIR(mode), "{}: a folder; name {} in it", path, words.kind);
  require(S_ISREG(mode), "{}: a pipe or a device, not {}; copy its content to a file", path,
          words.kind);
}

}  // namespace

InputFile::InputFile(std::string path, const InputWords& words) : path_(std::move(path)) {
  const std::string name = shown(path_, longest_path);
  require(path_.find('\0') == std::string::npos, "{}: not the name of a file", name);
  struct stat status {};
  // Checked before opening, since opening a device can have side effects.
  if (stat(path_.c_str(), &status) != 0) {
    const int reason = errno;
    require(reason != ENOENT && reason != ENOTDIR, "{}: no such {}; {}", name,
            words.kind + std::string_view(words.kind).find(' ') + 1, words.if_missing);
    throw UserError(
        fmt::format("{}: cannot be opened ({}); check the path", name, std::strerror(reason)));
  }
  require_regular(status.st_mode, name, words);
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  require(descriptor_ >= 0, "{}: cannot be read ({}); check its permissions", name,
          std::strerror(errno));
  // The opened file may be another one by now.
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw UserError(fmt::format("{}: was replaced while it was opened; try again", name));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::size_t InputFile::read(char* to, std::size_t most) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, to, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    require(errno == EINTR, "{}: reading fails ({}); check the disk and try again",
            shown(path_, longest_path), std::strerror(errno));
  }
}

void InputFile::seek(std::uint64_t offset) {
  require(lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) >= 0,
          "{}: reading fails ({}); check the disk and try again", shown(path_, longest_path),
          std::strerror(errno));
}

std::string input_content(const std::string& path, std::uint64_t most, const InputWords& words) {
  InputFile file(path, words);
  require(file.size() <= most, "{}: {} bytes, and at most {} are read; is it another file?",
          shown(path, longest_path), file.size(), most);
  std::string content(static_cast<std::size_t>(file.size()), '\0');
  std::size_t done = 0;
  while (done < content.size()) {
    const std::size_t got = file.read(content.data() + done, content.size() - done);
    if (got == 0) break;
    done += got;
  }
  char extra = 0;
  require(done == content.size() && file.read(&extra, 1) == 0,
          "{}: its size changed while it was read; try again", shown(path, longest_path));
  return content;
}

std::string input_begin(const std::string& path, std::size_t most) {
  try {
    InputFile file(path);
    std::string begin(most, '\0');
    begin.resize(file.read(begin.data(), most));
    return begin;
  } catch (const UserError&) {
    return {};
  }
}

std::string file_content(const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20U;
  try {
    return input_content(path, most);
  } catch (const UserError&) {
    return {};
  }
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace trilemma
