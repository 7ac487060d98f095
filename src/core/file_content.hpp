#pragma once

#include <string>

namespace trilemma {

/// All bytes of a file; empty where it cannot be read, or is not a regular file.
std::string file_content(const std::string& path);

/// Whether a name is that of a regular file, through links too; no name that the system does not
/// take (one that is too long) is.
bool is_file(const std::string& path);

}  // namespace trilemma
