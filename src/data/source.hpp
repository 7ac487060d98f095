#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "data/preprocessing.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// What files tell of their records, without a bias column.
struct FileShape {
  std::size_t features = 0;
  int classes = 0;
};

/// The word for a number of features or classes that is left to the files.
inline constexpr const char* left_to_files = "files";

/// Features and classes where the settings may leave both to the files.
struct SettledShape {
  std::optional<std::size_t> features;
  std::optional<int> classes;
  std::vector<std::string> labels;  ///< of the classes; empty: those in the files

  /// The keys that are left to the files.
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

/// Says which records get rows, once it is told the labels and users of all: the data sets that it
/// gets have no rows, but know how many columns these will have.
using ChooseRecords = std::function<KeptRecords(const TrainTest&)>;

/// Where the records come from. Their shape is known before they are read: what the settings leave
/// to the files is found and settled first.
class Source {
 public:
  virtual ~Source() = default;
  /// Keys of [data], "features" or "classes", that the settings leave to the files.
  virtual std::vector<std::string> open() const { return {}; }
  /// Other keys of [data] that the settings leave to the files, and that load() decides.
  virtual std::vector<std::string> decided_by_records() const { return {}; }
  /// Returns what the source does to records besides reading them; claims depend on it.
  virtual Preprocessing preprocessing() const { return {}; }
  /// Whether the labels that occur decide which classes they become.
  virtual bool numbers_labels() const { return false; }
  /// Finds the values of open() in the files, those of training and those of tests. Refuses damaged
  /// files as load() does.
  virtual FileShape find(const std::string& /*folder*/) const { return {}; }
  /// Takes the values of the keys that are open. Before, features() and classes() must not be used.
  virtual void settle(const FileShape& /*found*/) {}

  /// Features of a record, a bias column included.
  virtual std::size_t features() const = 0;
  /// 0 = real targets.
  virtual int classes() const = 0;
  /// Sparse or dense rows.
  virtual bool sparse() const = 0;
  /// Records belong to users.
  virtual bool has_users() const { return false; }
  /// Brings test records of its own, beside those for training.
  virtual bool has_tests() const { return false; }
  /// Files that are read, relative to the data folder.
  virtual std::vector<std::string> files() const { return {}; }
  /// Records used for training if known in advance, else 0.
  virtual std::size_t rows() const = 0;
  /// Reads or generates; file names are relative to `folder`. What is missing is NaN until scale().
  virtual TrainTest load(const std::string& folder, std::uint64_t seed) const = 0;
  /// load_part() spares memory: what scale() does needs no rows but those of the chosen records.
  virtual bool loads_parts() const { return false; }
  /// The same, but only the chosen records have rows.
  virtual TrainTest load_part(const std::string& folder, std::uint64_t seed,
                              const ChooseRecords& /*choose*/) const {
    return load(folder, seed);
  }
  /// Whether scale() looks at `training`, which may be empty otherwise.
  virtual bool scales_by_training() const { return true; }
  /// Whatever looks at many records: at those `training`, once these are known (held-out ones are
  /// not among them), or at all of data.train; `data.scaling` says what was done.
  virtual void scale(TrainTest& /*data*/, Coordinates /*training*/) const {}
  /// One line for the run file.
  virtual std::string description() const = 0;
};

/// Reads `data.scaling`, which is none or `usual`; the latter is the default.
Scaling read_scaling(Settings& data, Scaling usual, std::string_view help);

using SourceMaker = std::unique_ptr<Source> (*)(Settings&);

/// synthetic, libsvm, idx, cifar, csv, arrays, leaf, omniglot, quadratics.
std::span<const Row<SourceMaker>> sources();

}  // namespace trilemma
