#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "data/preprocessing.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Shape of the records found in the files, without a bias column.
struct FileShape {
  std::size_t features = 0;
  int classes = 0;
};

/// Setting for a number of features or classes that is taken from the files.
inline constexpr const char* left_to_files = "files";

/// Features and classes, each of which the settings may leave to the files.
struct SettledShape {
  std::optional<std::size_t> features;
  std::optional<int> classes;
  std::vector<std::string> labels;  ///< labels of the classes; empty: those in the files

  /// Returns the keys that are left to the files.
  std::vector<std::string> open() const {
    std::vector<std::string> keys;
    if (!features) keys.emplace_back("features");
    if (!classes) keys.emplace_back("classes");
    return keys;
  }
  void settle(const FileShape& found) {
    features = features.value_or(found.features);
    classes = classes.value_or(found.classes);
  }
};

/// Returns which records get rows, given the labels and users of all records. The data sets passed
/// to it have no rows, but know their number of columns.
using ChooseRecords = std::function<KeptRecords(const TrainTest&)>;

/// A source of records. Their shape is known before they are read: values that the settings leave
/// to the files are found and settled first.
class Source {
 public:
  virtual ~Source() = default;
  /// Returns the keys of [data], "features" or "classes", that the settings leave to the files.
  virtual std::vector<std::string> open() const { return {}; }
  /// Returns other keys of [data] that the settings leave to the files and load() decides.
  virtual std::vector<std::string> decided_by_records() const { return {}; }
  /// Returns the transformations of the records, on which claims depend.
  virtual Preprocessing preprocessing() const { return {}; }
  /// Returns whether the mapping of labels to classes depends on the labels that occur.
  virtual bool numbers_labels() const { return false; }
  /// Returns the values of open(), from the training and test files. Refuses damaged files, as
  /// load() does.
  virtual FileShape find(const std::string& /*folder*/) const { return {}; }
  /// Sets the values of the open keys. features() and classes() must not be used before.
  virtual void settle(const FileShape& /*found*/) {}

  /// Returns the number of features of a record, including a bias column.
  virtual std::size_t features() const = 0;
  /// Returns the number of classes; 0 = real targets.
  virtual int classes() const = 0;
  /// Returns whether rows are sparse.
  virtual bool sparse() const = 0;
  /// Returns whether records belong to users.
  virtual bool has_users() const { return false; }
  /// Returns whether the source has its own test records.
  virtual bool has_tests() const { return false; }
  /// Returns the files to be read, relative to the data folder; a name that ends with / is that of
  /// a folder, all files of which count.
  virtual std::vector<std::string> files() const { return {}; }
  /// Returns the number of training records if it is known in advance, otherwise 0.
  virtual std::size_t rows() const = 0;
  /// Reads or generates the records; file names are relative to `folder`. Missing values are NaN
  /// until scale().
  virtual TrainTest load(const std::string& folder, std::uint64_t seed) const = 0;
  /// Returns whether load_part() saves memory: scale() then needs no rows except those of the
  /// chosen records.
  virtual bool loads_parts() const { return false; }
  /// Loads the same, but only the chosen records have rows.
  virtual TrainTest load_part(const std::string& folder, std::uint64_t seed,
                              const ChooseRecords& /*choose*/) const {
    return load(folder, seed);
  }
  /// Returns the users of all training records, by record; empty if there are none.
  virtual std::vector<std::uint32_t> users(const std::string& folder) const;
  /// Returns `count` training records from number `first` on as a data set of their own, without
  /// the others, from a source whose records depend on their numbers alone.
  virtual Dataset generate(std::uint64_t /*seed*/, std::size_t /*first*/,
                           std::size_t /*count*/) const {
    throw std::logic_error("the records of this source do not depend on their numbers alone");
  }
  /// Returns whether scale() uses `training`, which may be empty otherwise.
  virtual bool scales_by_training() const { return true; }
  /// Applies all transformations that use many records: the records `training` (which exclude
  /// held-out ones), or all of data.train; `data.scaling` describes them.
  virtual void scale(TrainTest& /*data*/, Coordinates /*training*/) const {}
  /// Returns one line for the run file.
  virtual std::string description() const = 0;
};

/// Reads `data.scaling`: none, or the value of `scaling`, which is the default.
void read_scaling(Reader& r, Scaling& scaling, std::string_view help);

using SourceMaker = std::function<std::unique_ptr<Source>()>;

/// Returns the source `Made` with the options `keys`, for part_with_settings().
template <class Made, class Keys>
std::unique_ptr<Source> make_source(const Keys& keys) {
  return std::make_unique<Made>(keys);
}

/// Returns the table of sources, in the order of their rows in source.cpp.
std::span<const Row<SourceMaker>> sources();

/// Converts the sparse rows of a data set to dense ones, with zeros filled in. Refuses rows that
/// would take more than 8 GB or more than the memory, naming their `file`.
void make_dense(Dataset& data, const std::string& file);

}  // namespace trilemma
