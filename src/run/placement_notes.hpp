#pragma once

#include <string>
#include <vector>

#include "comm/placement.hpp"

namespace trilemma {

/// Prints a note on idle ranks, then `notes`; empty texts are not printed.
void report_placement(const Placement& place, const std::vector<std::string>& notes);

}  // namespace trilemma
