#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// Files below a folder, or in a ZIP archive.
class FileTree {
 public:
  virtual ~FileTree() = default;
  /// Returns the names of the files below the folder `under`, which ends with / or is empty, in
  /// ascending order; `under` is part of the names.
  virtual std::vector<std::string> names(const std::string& under) const = 0;
  /// Returns the content of a file. Refuses a missing or damaged file, and more than `most` bytes.
  virtual std::string content(const std::string& name, std::size_t most) const = 0;
  /// Returns the name of a file for messages, with that of the folder or archive.
  virtual std::string place(const std::string& name) const = 0;
};

/// Returns whether `name` can be a name in a folder, from a list of names that may be damaged:
/// printable characters of ASCII, at most 255, without slashes, which would lead out of the folder,
/// and without a dot at the beginning.
bool is_plain_name(std::string_view name);

/// Returns whether a setting names an archive (*.zip) rather than a folder.
bool names_archive(std::string_view name);

/// Returns the entry of `name`, a folder or an archive, for Source::files(): names of folders end
/// with /.
std::string tree_file(const std::string& name);

/// Opens a folder, or an archive if the name says so. In an archive, names are relative to the
/// folder that holds the file `landmark`, and its first file named so counts. Refuses a missing
/// folder or archive, and one without the landmark if it is not empty.
std::unique_ptr<FileTree> open_tree(const std::string& path, const std::string& landmark);

}  // namespace trilemma
