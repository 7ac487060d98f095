#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiment/data_files.hpp"
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

/// Describes the differences between two resolved configurations, among the settings that determine
/// the results: "server.rate = 0.3 there, 0.2 here", with at most a few differences. `files` are
/// files that the settings name and whose content has changed. If the settings are equal, the text
/// names another cause. `there` may come from an untrusted file.
std::string settings_difference(const std::string& there, const std::string& here,
                                const std::vector<ChangedFile>& files = {});

}  // namespace trilemma
