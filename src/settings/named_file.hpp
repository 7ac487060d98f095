#pragma once
// Files that settings name, beside those in the data folder: start models, traces of step times.

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace trilemma {

/// The first twelve digits of a SHA-256, as sentences show it; "no sum" where there is none.
std::string sum_begin(const std::string& sum);

/// A file that a setting names. It is read once: its sum is that of the bytes that its reader gets.
/// Copies share what was read.
class NamedFile {
 public:
  /// No file.
  NamedFile() = default;
  /// A file that is read as it is found.
  explicit NamedFile(std::string path) : NamedFile({}, std::move(path), {}) {}
  /// The file at the absolute `path` that the setting `key` names. `recorded` is the sum that a run
  /// file has of it, empty where it has none: then the file is read only for its content, which
  /// must have this sum.
  NamedFile(std::string key, std::string path, std::optional<std::string> recorded);

  bool is_set() const { return state_ != nullptr; }
  /// Dotted path of the setting.
  const std::string& key() const;
  /// Absolute; empty where no file is named.
  const std::string& path() const;
  /// SHA-256 of the content, in hexadecimal, or as recorded. Refuses a file that cannot be read.
  const std::string& sum() const;
  /// All bytes. Refuses what is no regular file, cannot be read, is larger than 4 GiB or has
  /// another sum than before.
  const std::string& content() const;
  /// True where the file is there and has this sum.
  bool is_unchanged() const;
  /// Refuses a file that has changed since its sum was computed, for readers that open it by its
  /// path; to be called after reading.
  void require_same() const;

 private:
  struct State;
  void compare(const std::string& found) const;

  std::shared_ptr<State> state_;
};

/// Sums of files by their absolute paths, as a run file records them.
using RecordedSums = std::map<std::string, std::string>;

}  // namespace trilemma
