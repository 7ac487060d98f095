#pragma once
// Files outside the data folder that settings name: start models, traces of step times.

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace trilemma {

/// Returns the first twelve digits of a SHA-256 checksum, as shown in messages; "no sum" if there
/// is none.
std::string sum_begin(const std::string& sum);

/// A file that a setting names. It is read once: its checksum is that of the bytes that its reader
/// gets. Copies share the content.
class NamedFile {
 public:
  /// Names no file.
  NamedFile() = default;
  /// Names a file that is accepted with any content.
  explicit NamedFile(std::string path) : NamedFile({}, std::move(path), {}) {}
  /// Names the file at the absolute `path`, as the setting `key` does. `recorded` is its checksum
  /// in a run file, empty if the run file has none: the file is then read only for its content,
  /// which must have this checksum.
  NamedFile(std::string key, std::string path, std::optional<std::string> recorded);

  bool is_set() const { return state_ != nullptr; }
  /// Returns the dotted path of the setting.
  const std::string& key() const;
  /// Returns the absolute path; empty if no file is named.
  const std::string& path() const;
  /// Returns the SHA-256 checksum of the content, in hexadecimal, or the recorded one. Refuses a
  /// file that cannot be read.
  const std::string& sum() const;
  /// Returns all bytes. Refuses a file that is not regular, cannot be read, is larger than 4 GiB or
  /// has a different checksum than before.
  const std::string& content() const;
  /// Returns whether the file exists and has this checksum.
  bool is_unchanged() const;
  /// Refuses a file that has changed since its checksum was computed; to be called by readers that
  /// open the file by its path, after reading.
  void require_same() const;

 private:
  struct State;
  void compare(const std::string& found) const;

  std::shared_ptr<State> state_;
};

/// Checksums of files by their absolute paths, as a run file records them.
using RecordedSums = std::map<std::string, std::string>;

}  // namespace trilemma
