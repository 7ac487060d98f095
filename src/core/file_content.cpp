#include "core/file_content.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace trilemma {

std::string file_content(const std::string& path) {
  // A folder opens like a file and fails at the first read, which a stream takes without throwing.
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(content).str();
}

}  // namespace trilemma
