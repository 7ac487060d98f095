#pragma once

#include <map>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// False for settings that change where and how a run is made, but none of its results.
bool determines_results(const std::string& path);

/// SHA-256 over the settings that determine the results of a run: all but those that say where and
/// how it is made (placement, timing, checkpoints, watchdog). The `files` that settings name enter
/// by their content instead of their names.
std::string fingerprint(const std::vector<SettingRecord>& settings,
                        const std::vector<NamedFile>& files);

/// Returns the settings that determine which records there are and which client has them: values as
/// TOML by dotted path.
std::map<std::string, std::string> record_settings(const std::vector<SettingRecord>& settings);

}  // namespace trilemma
