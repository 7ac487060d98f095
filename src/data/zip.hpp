#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct zip;  // of libzip

namespace trilemma {

/// A file inside an archive.
struct ZipEntry {
  std::string name;  ///< with its folders, separated by /
  std::string content;
};

/// The files of a ZIP archive whose names end in one suffix, sorted by name; hidden files (a part
/// of the path begins with a dot or is "__MACOSX") are passed over.
class ZipArchive {
 public:
  /// Refuses, with the file: no such file, no archive, nothing of that suffix, a name twice.
  ZipArchive(const std::string& file, const std::string& suffix);

  const std::vector<std::string>& names() const { return names_; }
  /// Reads one file after the other and holds one at a time. Refuses, with archive and file:
  /// content that is damaged or encrypted (sums are checked), more than `most` bytes or more than
  /// the archive's own directory says; more than 64 MiB that were packed to less than a 200th.
  void each(std::size_t most, const std::function<void(const ZipEntry&)>& visit) const;
  /// Reads one of the names. Refuses what each() does.
  std::string content(const std::string& name, std::size_t most) const;

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  std::string file_;
  std::unique_ptr<zip, Discard> archive_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> index_;  ///< by name: the place in the archive
};

}  // namespace trilemma
