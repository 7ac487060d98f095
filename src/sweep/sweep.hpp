#pragma once
// A sweep: many runs of one experiment, as a file says it. Every combination of the values of its
// axes is a cell; cells have the name of what they compute, so that files outlive changes of the
// axes, and are run in a random order, so that what drifts with time does not look like an effect.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// A setting of the experiment that the sweep sets.
struct SweepSetting {
  std::string key;
  SettingValue value;
};

/// Settings that change together: one axis of the grid.
struct SweepAxis {
  std::vector<std::string> keys;
  std::vector<std::vector<SettingValue>> points;  ///< each with a value for every key
  std::string method;                             ///< whose cells alone vary so; empty: all do
};

/// One run of a sweep.
struct SweepCell {
  std::vector<SweepSetting> settings;  ///< of the axes, in their order
  std::size_t combination = 0;         ///< number of the combination, as written
  long repetition = 1;
  std::string hash;  ///< 12 digits of the plan's fingerprint, of the settings if it is refused
  std::vector<std::string> data_files;  ///< names of what it reads
  std::string refusal;                  ///< why its configuration is refused; empty: it can be run
  bool is_skipped = false;              ///< since its method does not read a setting of the sweep
  /// Settings of the records that it states an epsilon for, by dotted path; nothing: for none.
  std::optional<std::map<std::string, std::string>> data;
};

struct Sweep {
  std::string file, name, experiment;
  std::string method;  ///< of the experiment, for cells that the sweep chooses none for
  long repetitions = 1, order_seed = 1;
  std::vector<SweepSetting> fixed;     ///< for all cells
  std::vector<std::string> overrides;  ///< of the command line, for all cells
  std::vector<SweepAxis> axes;
  std::vector<std::int64_t> tuning_seeds;  ///< among the seeds: those that settings are chosen on
  /// Places of all keys that the sweep sets; those of axes of a method under place_of().
  std::map<std::string, SourcePlace> places;
  std::vector<SweepCell> cells;  ///< in the order in which they are run
};

/// What the place of a key in [methods.METHOD.axes] is filed under.
inline std::string place_of(const std::string& method, const std::string& key) {
  return method + ':' + key;
}

}  // namespace trilemma
