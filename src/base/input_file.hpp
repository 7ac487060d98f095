#pragma once
// The one place that opens files for reading which others wrote. Only a regular file is opened: a
// pipe would block, a device may never end, a folder has no content.

#include <cstdint>
#include <functional>
#include <string>

namespace trilemma {

/// Reads up to `most` bytes into `to` and returns their number; 0 at the end.
using ReadBytes = std::function<std::size_t(char* to, std::size_t most)>;

/// The words of refusals, which differ between data files, experiments and the like.
struct InputWords {
  const char* kind = "a file";                ///< "a data file", "an experiment file"
  const char* if_missing = "check the path";  ///< what to do if there is no such file
};

/// A regular file that is open for reading.
class InputFile {
 public:
  /// Refuses, with the path and the reason, what is missing, no regular file, or cannot be opened.
  explicit InputFile(std::string path, const InputWords& words = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Returns the number of bytes when the file was opened.
  std::uint64_t size() const { return size_; }
  /// Reads the next bytes; 0 at the end. Refuses a read error.
  std::size_t read(char* to, std::size_t most);
  /// Continues reading at byte `offset`. Refuses an error of the system.
  void seek(std::uint64_t offset);

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Returns all bytes of a file. Refuses what InputFile refuses, more than `most` bytes, and a file
/// that changes its size meanwhile.
std::string input_content(const std::string& path, std::uint64_t most,
                          const InputWords& words = {});

/// Returns the first bytes of a file, at most `most`; none where it cannot be read.
std::string input_begin(const std::string& path, std::size_t most);

/// Returns all bytes of a file of this program; none where it cannot be read, is not a regular file
/// or has more than 256 MiB.
std::string file_content(const std::string& path);

/// Whether a name is that of a regular file, through links too; no name that the system does not
/// take (one that is too long) is.
bool is_file(const std::string& path);

}  // namespace trilemma
