#pragma once

#include <map>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// Returns whether the setting `path` affects the results of a run; false for settings that only
/// determine where and how it runs.
bool determines_results(const std::string& path);

/// Returns a SHA-256 over the settings that determine the results of a run (see
/// determines_results()). The files that settings name contribute their content, not their names.
std::string fingerprint(const std::vector<SettingRecord>& settings,
                        const std::vector<NamedFile>& files);

/// Returns the settings that determine the records and their partition over the clients: values as
/// TOML by dotted path.
std::map<std::string, std::string> record_settings(const std::vector<SettingRecord>& settings);

}  // namespace trilemma
