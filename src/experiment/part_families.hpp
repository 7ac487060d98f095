#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trilemma {

/// A family of parts as `trilemma list` shows it.
struct PartFamily {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parts;  ///< name and one-line summary
};

/// The family of this name, or all where it is empty. Refuses a name that no family has.
std::vector<PartFamily> part_families(const std::string& wanted = "");

}  // namespace trilemma
