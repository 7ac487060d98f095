#pragma once

#include <string>
#include <vector>

namespace trilemma {

/// A file inside an archive.
struct ZipEntry {
  std::string name;  ///< with its folders, separated by /
  std::string content;
};

/// The files of a ZIP archive whose names end in `suffix`, sorted by name; hidden files (a part of
/// the path begins with a dot or "__MACOSX") are passed over. Refuses, with the file: no such file,
/// no archive, damaged or encrypted content (sums are checked), nothing of that suffix.
std::vector<ZipEntry> read_zip(const std::string& file, const std::string& suffix);

}  // namespace trilemma
