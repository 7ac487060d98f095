#pragma once

#include <string>

namespace trilemma {

/// Whether a name is that of a regular file, through links too; no name that the system does not
/// take (one that is too long) is.
bool is_file(const std::string& path);

}  // namespace trilemma
