#include "config/data_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "core/text.hpp"
#include "data/data_file.hpp"
#include "files/sha256.hpp"

namespace trilemma {
namespace {

std::string line_of(const std::string& name, const std::string& folder) {
  const std::string path = path_in(folder, name);
  require_data_file(path);
  return fmt::format("{}  {}\n", file_sha256(path), name);
}

}  // namespace

std::string data_file_sums(const std::vector<std::string>& names, const std::string& folder) {
  std::string sums;
  for (const auto& name : names) sums += line_of(name, folder);
  return sums;
}

std::string names_alone(const std::vector<std::string>& names) {
  std::string lines;
  for (const auto& name : names) lines += fmt::format("not-recorded  {}\n", name);
  return lines;
}

std::string DataFiles::changed(const std::vector<std::string>& names, const std::string& recorded) {
  std::vector<std::string> found;
  if (!names.empty() && recorded == names_alone(names)) return {};
  for (const auto& name : std::set<std::string>(names.begin(), names.end())) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path_in(folder_, name), ignored)) continue;
    auto& line = lines_[name];
    if (line.empty()) line = line_of(name, folder_);
    const auto at = recorded.find(line);
    if (at == std::string::npos || (at > 0 && recorded[at - 1] != '\n')) found.push_back(name);
  }
  return join(found);
}

}  // namespace trilemma
