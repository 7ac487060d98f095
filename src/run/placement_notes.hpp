#pragma once

#include <string>

#include "comm/placement.hpp"

namespace trilemma {

/// Prints what there is to say of ranks that stay idle, of the data files (`remark`) and of clients
/// that do not hold equally many records (`uneven`); empty texts are not printed.
void note_placement(const Placement& place, const std::string& remark, const std::string& uneven);

}  // namespace trilemma
