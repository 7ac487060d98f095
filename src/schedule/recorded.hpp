#pragma once

#include <vector>

#include "schedule/timeline.hpp"

namespace trilemma {

/// The server steps of a run that has been made, with so many contacts expected in each.
Choice<Timeline> recorded(std::vector<Meeting> meetings, double expected);

}  // namespace trilemma
