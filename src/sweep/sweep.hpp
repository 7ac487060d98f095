#pragma once
// A sweep: many runs of one experiment, described by a sweep file. Every combination of the values
// of its axes is a cell. The files of a cell are named by its settings, so they stay valid when the
// axes change. Cells run in random order, so that a drift over time does not look like an effect.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/data_folder.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// A setting that the sweep gives to the experiment.
struct SweepSetting {
  std::string key;
  SettingValue value;
};

/// One axis of the grid: settings that change together.
struct SweepAxis {
  std::vector<std::string> keys;
  std::vector<std::vector<SettingValue>> points;  ///< each has a value for every key
  std::string method;  ///< method whose cells have this axis; empty = all cells
};

/// One run of a sweep.
struct SweepCell {
  std::vector<SweepSetting> settings;  ///< one for every key of the axes, in order
  std::size_t combination = 0;         ///< number of the combination in the order of the file
  long repetition = 1;
  /// First 12 digits of the plan's fingerprint, or of a hash of the settings if they are refused.
  std::string hash;
  std::vector<std::string> data_files;  ///< names of the data files that the run reads
  std::string refusal;                  ///< why the configuration is refused; empty = it can be run
  bool is_skipped = false;  ///< refused because its method does not read a setting of an axis
  /// Settings [data] by dotted path if the run states an epsilon for these records; else nullopt.
  std::optional<std::map<std::string, std::string>> data;
};

/// A sweep file with its cells.
struct Sweep {
  std::string file, name, experiment;
  std::string method;  ///< method of the experiment, for cells whose sweep sets none
  long repetitions = 1, order_seed = 1;
  std::vector<SweepSetting> fixed;     ///< settings of all cells
  std::vector<std::string> overrides;  ///< settings of the command line, for all cells
  std::vector<SweepAxis> axes;
  std::vector<std::int64_t> tuning_seeds;  ///< the seeds that settings are chosen on
  /// Where each key is set; keys of [methods.METHOD.axes] are filed under place_of().
  std::map<std::string, SourcePlace> places;
  std::vector<SweepCell> cells;  ///< in the order in which they are run
};

/// Returns the key of Sweep::places for `key` in [methods.METHOD.axes], with METHOD = `method`.
inline std::string place_of(const std::string& method, const std::string& key) {
  return method + ':' + key;
}

/// Reads the sweep file `file`: everything except `cells`. `overrides` ("key=value") are settings
/// of all cells. Throws UserError.
Sweep read_sweep_file(const std::string& file, const std::vector<std::string>& overrides);

/// Reads the sweep file `file` and lists its cells in the order in which they run. `overrides`
/// ("key=value") are settings of all cells. Checks the file, its keys and the experiment, but not
/// the configurations of the cells, which have no hash before resolve(). Throws UserError.
Sweep read_sweep(const std::string& file, const std::vector<std::string>& overrides = {});

/// Checks the configuration of `cell` and sets its hash, data files and refusal; `data` as for
/// read_plan().
void resolve(const Sweep& sweep, SweepCell& cell, DataFolder* data = nullptr);
/// Resolves all cells. Throws UserError if two combinations are the same experiment.
void resolve(Sweep& sweep, DataFolder* data = nullptr);

/// Returns the settings that `cell` adds to the experiment, as "key = value".
std::vector<std::string> cell_overrides(const Sweep& sweep, const SweepCell& cell);
/// Returns the values of the axes at `cell`, such as "method=ldp-sgd seed=2".
std::string cell_name(const Sweep& sweep, const SweepCell& cell);
/// Returns the name of the cell's files without ending: HASH, or HASH-rREPETITION if the sweep
/// repeats its cells.
std::string cell_stem(const Sweep& sweep, const SweepCell& cell);

}  // namespace trilemma
