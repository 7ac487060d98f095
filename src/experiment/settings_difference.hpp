#pragma once

#include <string>
#include <vector>

#include "experiment/data_files.hpp"

namespace trilemma {

/// In which settings two resolved configurations differ, of those that determine the results:
/// "server.rate = 0.3 there, 0.2 here", a handful of differences at most. `files` are those that
/// the settings name and whose content has changed. Without a difference: a remark about a cause
/// other than the settings. `there` may come from any file.
std::string settings_difference(const std::string& there, const std::string& here,
                                const std::vector<ChangedFile>& files = {});

}  // namespace trilemma
