#pragma once

#include <functional>
#include <map>
#include <string>

#include "data/source.hpp"

namespace trilemma {

/// Facts about the training records of all clients.
struct RecordFacts {
  std::size_t least = 0, most = 0;  ///< records of the smallest and of the largest client
  double largest_norm = 0;          ///< of the features of a record, after scaling
};

/// The folder of the data files, with a cache of what was found in them, since the cells of a sweep
/// repeat the same queries.
class DataFolder {
 public:
  explicit DataFolder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

  /// Sets the values of `source` that the settings leave to the files, and records them in `data`,
  /// from which the settings were read. Refuses missing or damaged files.
  void settle(Source& source, Settings& data);
  /// Returns the number of users of the training records of a settled source.
  std::size_t users(const Source& source, const Settings& data);
  /// Returns the facts about the records that `settings` describe: those found before, or else
  /// those that `find` finds.
  const RecordFacts& facts(const std::string& settings, const std::function<RecordFacts()>& find);

 private:
  std::string path_;
  std::map<std::string, FileShape> found_;    ///< by the settings of the query
  std::map<std::string, std::size_t> users_;  ///< by the settings of the query
  std::map<std::string, RecordFacts> facts_;  ///< by the settings of the records
};

/// Refuses a source that leaves values to its files, for callers that must not read files.
void refuse_open(const Source& source, const Settings& data);

}  // namespace trilemma
