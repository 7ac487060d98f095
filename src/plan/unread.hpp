#pragma once

#include <string>
#include <vector>

#include "core/settings.hpp"

namespace trilemma {

/// Keys that the file, the files under it and the layers of the chosen method and mode set and
/// that read_plan() has not read; in the order of the files.
std::vector<std::string> unread_keys(const Settings& settings);

/// Those of them that look like a mistake: keys of the layer of the chosen method, and of the file
/// itself unless it is made for several methods (it has layers of its own, or the command line
/// chooses a method or another part). Keys of files under it are left to those.
std::vector<std::string> suspicious_keys(const Settings& settings);

}  // namespace trilemma
