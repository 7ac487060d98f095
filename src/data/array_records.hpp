#pragma once
// The arrays of one set of records, for training or for tests.

#include <memory>
#include <string>
#include <vector>

#include "data/array_files.hpp"
#include "data/arrays_settings.hpp"

namespace trilemma {

/// Labels or targets as stored in a file.
struct ArrayTargets {
  std::string place;              ///< for messages
  std::vector<std::string> word;  ///< if they are text
  std::vector<double> number;     ///< if they are numbers
  std::size_t size() const { return word.size() + number.size(); }
};

/// Finds arrays by the names in the settings, or by usual names.
class ArrayRecords {
 public:
  ArrayRecords(const ArraysSettings::Part& part, const std::string& user, const std::string& folder,
               bool is_test);

  const std::string& path() const { return path_; }
  std::string feature_name() const;
  RawArray features() const { return file_->open(feature_name()); }
  ArrayTargets targets() const;
  std::vector<std::string> users() const;

 private:
  RawArray only_array(const std::string& name, const char* key) const;

  const ArraysSettings::Part& part_;
  const std::string& user_;
  bool is_test_;
  std::string path_, folder_;
  std::unique_ptr<ArrayFile> file_;
};

}  // namespace trilemma
