#pragma once
// Data files of a run and their SHA-256 checksums: /environment/data_files of a run file.

#include <map>
#include <string>
#include <vector>

#include "settings/named_file.hpp"

namespace trilemma {

/// Returns the lines "SHA-256  name" of the files `names` in `folder` (absolute names are used as
/// they are), as in /environment/data_files of a run file. The checksum of a folder, whose name
/// ends with /, is that of these lines of all its files. Throws UserError if a file or folder does
/// not exist or cannot be read.
std::string data_file_sums(const std::vector<std::string>& names, const std::string& folder);

/// Returns lines "not-recorded  name", without the checksums, which depend on private records.
std::string names_alone(const std::vector<std::string>& names);

/// Returns the lines of data_file_sums() for files that settings name, with their absolute paths.
std::string named_file_sums(const std::vector<NamedFile>& files);

/// Returns the checksums in the lines `data_files` by name; the word "not-recorded" for a file
/// without a checksum.
RecordedSums sums_of(const std::string& data_files);

/// A file whose content differs from that recorded in a run file.
struct ChangedFile {
  std::string name;
  std::string recorded, now;  ///< SHA-256; empty if there is none
};

/// Returns "train: SHA-256 ca978112ca1b... there, 3e23e8160039... here; ...": the files with the
/// first digits of both checksums.
std::string in_words(const std::vector<ChangedFile>& files);

/// Returns the files of the lines `now` whose checksum differs from that in `recorded`.
std::vector<ChangedFile> changed_between(const std::string& recorded, const std::string& now);

/// Compares data files with the checksums in run files; reads each file once.
class DataFiles {
 public:
  explicit DataFiles(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the files among `names` that exist and whose checksum differs from that in `recorded`;
  /// files without a recorded checksum are skipped.
  std::vector<ChangedFile> changed(const std::vector<std::string>& names,
                                   const std::string& recorded);

 private:
  std::string folder_;
  std::map<std::string, std::string> sums_;
};

}  // namespace trilemma
