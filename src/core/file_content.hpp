#pragma once

#include <string>

namespace trilemma {

/// All bytes of a file; empty where it cannot be read, or is no regular file.
std::string file_content(const std::string& path);

}  // namespace trilemma
