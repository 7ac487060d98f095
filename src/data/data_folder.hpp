#pragma once

#include <map>
#include <string>

#include "data/source.hpp"

namespace trilemma {

/// The folder of the data files, and what was found in them: the cells of a sweep ask the same
/// again and again.
class DataFolder {
 public:
  explicit DataFolder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

  /// Settles what the settings of `source` leave to the files; `data`, where these were read,
  /// records the values. Refuses files that are not there or damaged.
  void settle(Source& source, Settings& data);
  /// Returns the number of users of the training records of a settled source.
  std::size_t users(const Source& source, const Settings& data);

 private:
  std::string path_;
  std::map<std::string, FileShape> found_;    ///< by the settings that were asked for
  std::map<std::string, std::size_t> users_;  ///< by the same settings
};

/// Refuses a source that leaves something to its files, where these are not to be read.
void refuse_open(const Source& source, const Settings& data);

}  // namespace trilemma
