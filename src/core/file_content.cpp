#include "core/file_content.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace trilemma {

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string file_content(const std::string& path) {
  // A folder cannot be read, a pipe would block, and a device may never end.
  if (!is_file(path)) return {};
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(content).str();
}

}  // namespace trilemma
