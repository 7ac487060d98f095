#pragma once

#include "claim/difference.hpp"
#include "experiment/plan.hpp"
#include "record/contact_log.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {

/// Returns the contacts of server steps as one list; server_steps_of() is the inverse, for `rounds`
/// server steps.
ContactLog contacts_of(std::span<const TimedStep> server_steps);
std::vector<TimedStep> server_steps_of(const ContactLog& log, std::uint64_t rounds);

/// Returns the contacts that are impossible for a server of this plan within `steps` server steps:
/// clients, models and local steps out of range, times or clients out of order, jobs of a client
/// out of order, factors and weights that are not positive. Returns the first contact of each kind.
std::vector<Difference> contact_problems(const ContactLog& log, const Plan& plan,
                                         std::uint64_t steps);

}  // namespace trilemma
