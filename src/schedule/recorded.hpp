#pragma once

#include <vector>

#include "schedule/timeline.hpp"

namespace trilemma {

/// The server steps of a run that has been made, with so many contacts expected in each and so many
/// models handed out before the first.
Choice<Timeline> recorded(std::vector<Meeting> meetings, double expected, std::uint64_t handed_out);

}  // namespace trilemma
