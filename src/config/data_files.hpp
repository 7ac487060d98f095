#pragma once

#include <map>
#include <string>
#include <vector>

namespace trilemma {

/// Lines "SHA-256  name" of the files in a folder (an absolute name is a place of its own), as in
/// /environment/data_files of a run file. Refuses a file that is not there or cannot be read.
std::string data_file_sums(const std::vector<std::string>& names, const std::string& folder);

/// The same without the sums, which tell of private records: lines "not-recorded  name".
std::string names_alone(const std::vector<std::string>& names);

/// Compares data files with what run files have recorded of them; reads each file once.
class DataFiles {
 public:
  explicit DataFiles(std::string folder) : folder_(std::move(folder)) {}

  /// Those that are there, but with another content than `recorded` (where that has a sum), joined
  /// by commas.
  std::string changed(const std::vector<std::string>& names, const std::string& recorded);

 private:
  std::string folder_;
  std::map<std::string, std::string> lines_;
};

}  // namespace trilemma
