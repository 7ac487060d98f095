#pragma once
// Opens all input files that other programs wrote. Only regular files are opened: a pipe would
// block, a device may never end, and a folder has no content.

#include <cstdint>
#include <functional>
#include <string>

namespace trilemma {

/// Reads up to `most` bytes into `to` and returns their number; 0 at the end.
using ReadBytes = std::function<std::size_t(char* to, std::size_t most)>;

/// Wording of errors, which differs between data files, experiments and other files.
struct InputWords {
  const char* kind = "a file";                ///< "a data file", "an experiment file"
  const char* if_missing = "check the path";  ///< what to do if there is no such file
};

/// A regular file that is open for reading.
class InputFile {
 public:
  /// Throws UserError, with the path and the reason, if the file is missing, is not a regular file,
  /// or cannot be opened.
  explicit InputFile(std::string path, const InputWords& words = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Returns the size in bytes at the time of opening.
  std::uint64_t size() const { return size_; }
  /// Reads the next bytes, at most `most`, and returns their number; 0 at the end. Throws UserError
  /// on a read error.
  std::size_t read(char* to, std::size_t most);
  /// Continues reading at byte `offset`, counted from 0. Throws UserError if the system reports an
  /// error.
  void seek(std::uint64_t offset);

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Returns the whole content of a file. Throws UserError if InputFile cannot open or read it, if it
/// has more than `most` bytes, or if its size changes while it is read.
std::string input_content(const std::string& path, std::uint64_t most,
                          const InputWords& words = {});

/// Returns the first bytes of a file, at most `most`; empty if it cannot be read.
std::string input_begin(const std::string& path, std::size_t most);

/// Returns the whole content of a file written by this program; empty if it cannot be read, is not
/// a regular file, or has more than 256 MiB.
std::string file_content(const std::string& path);

/// Returns whether `path` is a regular file or a symbolic link to one; false for a name that the
/// system does not accept, such as one that is too long.
bool is_file(const std::string& path);

}  // namespace trilemma
