#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trilemma {

/// Build, machine and launch of this process: names and texts for the run file.
std::vector<std::pair<std::string, std::string>> environment(const std::string& command_line,
                                                             const std::string& mpi_library);

}  // namespace trilemma
