#pragma once

#include <string>
#include <vector>

#include "experiment/data_files.hpp"

namespace trilemma {

/// Describes the differences between two resolved configurations, among the settings that determine
/// the results: "server.rate = 0.3 there, 0.2 here", with at most a few differences. `files` are
/// files that the settings name and whose content has changed. If the settings are equal, the text
/// names another cause. `there` may come from an untrusted file.
std::string settings_difference(const std::string& there, const std::string& here,
                                const std::vector<ChangedFile>& files = {});

}  // namespace trilemma
