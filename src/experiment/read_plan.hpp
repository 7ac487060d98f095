#pragma once
// Reads a plan from settings, and lists what settings can say.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the name of the method. Throws UserError for an unknown name.
std::string read_method_name(Settings& experiment);
/// Throws UserError if there is no method named `method`; `place` is its place in a file, for the
/// message.
void require_method(const std::string& place, const std::string& method);

/// The axis of sweeps with one list of step sizes for methods that read different keys.
inline constexpr std::string_view step_size_axis = "step_size";

/// Returns the key of the step size of `method`: local.rate if clients take local steps, otherwise
/// server.rate.
std::string step_size_key(const std::string& method);

/// Reads and checks all settings and returns the plan. The data files are read only to determine
/// numbers of features, classes or clients that the settings leave open; if `data` is nullptr, all
/// must be set. Throws UserError for the first mistake.
Plan read_plan(Settings settings, DataFolder* data = nullptr);

/// Returns the records of the keys of all parts. They are read by the same code as in read_plan().
const std::vector<SettingRecord>& all_settings();

/// Returns the plan with the resolved configuration `config` of the run file `path`, which is used
/// in messages only. `data_files` is the text /environment/data_files of the run file, the
/// checksums of its files; empty = unknown. Files that the settings name need not exist any longer,
/// since their checksums represent them; a file that has to be read must have its recorded
/// checksum. Throws UserError if this program does not accept the configuration.
Plan recorded_plan(const std::string& config, const std::string& data_files,
                   const std::string& path);

/// Returns the Markdown page docs/reference/settings.md: all settings, with the defaults of all
/// methods where these differ.
std::string settings_reference();

/// A family of parts as `trilemma list` shows it.
struct PartFamily {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parts;  ///< name and one-line summary
};

/// Returns the family named `wanted`, or all families if it is empty. Throws UserError for an
/// unknown name.
std::vector<PartFamily> part_families(const std::string& wanted = "");

}  // namespace trilemma
