#include "base/is_file.hpp"

#include <filesystem>

namespace trilemma {

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace trilemma
