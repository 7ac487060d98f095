#pragma once
// What holds of the contacts of every run in real time.

#include "claim/difference.hpp"
#include "plan/plan.hpp"
#include "record/contact_log.hpp"

namespace trilemma {

/// Contacts that no server of this plan can have had in so many server steps: clients, models and
/// local steps out of range, times or clients that do not ascend, a client's jobs out of their
/// order, factors and weights that are no positive numbers. The first contact of each kind.
std::vector<Difference> contact_problems(const ContactLog& log, const Plan& plan,
                                         std::uint64_t steps);

/// Models that the server of a plan in real time hands out before its first step.
std::uint64_t handed_out_by(const Plan& plan);

}  // namespace trilemma
