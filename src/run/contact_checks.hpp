#pragma once
// Rules for the contacts of every run in real time.

#include "claim/difference.hpp"
#include "experiment/plan.hpp"
#include "record/contact_log.hpp"

namespace trilemma {

/// Returns the contacts that are impossible for a server of this plan within `steps` server steps:
/// clients, models and local steps out of range, times or clients out of order, jobs of a client
/// out of order, factors and weights that are not positive. Returns the first contact of each kind.
std::vector<Difference> contact_problems(const ContactLog& log, const Plan& plan,
                                         std::uint64_t steps);

}  // namespace trilemma
