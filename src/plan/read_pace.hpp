#pragma once

#include "plan/plan.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Whom a method on a clock meets when, on the simulated one or in real time.
void read_pace(const Settings& s, Plan& plan);
/// The simulated clock of as many server steps as the plan has rounds.
Choice<Timeline> timeline_of(const Plan& plan);
/// Refuses ways of the messages that make ranks wait for each other.
void check_real_exchange(const Settings& exchange, Plan& plan);
/// Most contacts of any client on the simulated clock after 0, 1, ..., plan.rounds server steps;
/// refuses more of these than can be gone through.
std::vector<std::uint32_t> most_contacts(const Settings& s, const Plan& plan);
/// Reads the keys that real time alone has.
void declare_real_time(const Settings& s);

}  // namespace trilemma
