#pragma once

#include <string>
#include <vector>

#include "comm/placement.hpp"

namespace trilemma {

/// Prints a note on idle ranks, then `notes`; empty texts are not printed.
void note_placement(const Placement& place, const std::vector<std::string>& notes);

}  // namespace trilemma
