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

/// Returns the family named `wanted`, or all families if it is empty. Throws UserError for an
/// unknown name.
std::vector<PartFamily> part_families(const std::string& wanted = "");

}  // namespace trilemma
