#pragma once

#include <string>

#include "comm/placement.hpp"

namespace trilemma {

/// Prints notes on idle ranks, on the data files (`remark`) and on clients that do not hold equally
/// many records (`uneven`); empty texts are not printed.
void note_placement(const Placement& place, const std::string& remark, const std::string& uneven);

}  // namespace trilemma
