#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct zip;  // of libzip

namespace trilemma {

/// A file in an archive.
struct ZipEntry {
  std::string name;  ///< including its folders, separated by /
  std::string content;
};

/// The files of a ZIP archive whose names have a given suffix, sorted by name. Hidden files (a part
/// of the path begins with a dot or is "__MACOSX") are skipped.
class ZipArchive {
 public:
  /// Refuses, naming the file: a missing file, a file that is no archive, no file with the suffix,
  /// a repeated name.
  ZipArchive(const std::string& file, const std::string& suffix);

  const std::vector<std::string>& names() const { return names_; }
  /// Reads the files one after the other, holding one in memory at a time. Refuses, naming archive
  /// and file: damaged or encrypted content (checksums are verified), more than `most` bytes or
  /// more than the directory of the archive states; more than 64 MiB compressed to less than a
  /// 200th.
  void each(std::size_t most, const std::function<void(const ZipEntry&)>& visit) const;
  /// Returns the content of one file. Refuses the same as each().
  std::string content(const std::string& name, std::size_t most) const;

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  std::string file_;
  std::unique_ptr<zip, Discard> archive_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> index_;  ///< position in the archive, by name
};

}  // namespace trilemma
