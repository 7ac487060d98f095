#pragma once
// The files that a run was made from, and their SHA-256 checksums: /environment/data_files of a run
// file.

#include <map>
#include <string>
#include <vector>

#include "settings/named_file.hpp"

namespace trilemma {

/// Lines "SHA-256  name" of the files in a folder (an absolute name is a place of its own), as in
/// /environment/data_files of a run file. Refuses a file that is not there or cannot be read.
std::string data_file_sums(const std::vector<std::string>& names, const std::string& folder);

/// The same without the sums, which tell of private records: lines "not-recorded  name".
std::string names_alone(const std::vector<std::string>& names);

/// Returns the same lines for files that settings name, under their absolute paths.
std::string named_file_sums(const std::vector<NamedFile>& files);

/// Returns the checksums in the lines `data_files` by name; a file without a checksum has the word
/// "not-recorded".
RecordedSums sums_of(const std::string& data_files);

/// A file whose content differs from that recorded in a run file.
struct ChangedFile {
  std::string name;
  std::string recorded, now;  ///< SHA-256; empty where there is none
};

/// Returns "train: SHA-256 ca978112ca1b... there, 3e23e8160039... here; ...": the files with the
/// first digits of both checksums.
std::string in_words(const std::vector<ChangedFile>& files);

/// Returns the files of the lines `now` that have another checksum in `recorded`, or none.
std::vector<ChangedFile> changed_between(const std::string& recorded, const std::string& now);

/// Compares data files with what run files have recorded of them; reads each file once.
class DataFiles {
 public:
  explicit DataFiles(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the files `names` that exist with another content than `recorded` (where it has a
  /// checksum).
  std::vector<ChangedFile> changed(const std::vector<std::string>& names,
                                   const std::string& recorded);

 private:
  std::string folder_;
  std::map<std::string, std::string> sums_;
};

}  // namespace trilemma
