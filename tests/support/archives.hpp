#pragma once
// Archives made by tests.

#include <string>
#include <utility>
#include <vector>

namespace trilemma::testing {

/// Writes a ZIP archive with these files (name, content), deflated.
void write_zip(const std::string& path,
               const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace trilemma::testing
