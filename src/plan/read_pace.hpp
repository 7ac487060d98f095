#pragma once

#include "plan/plan.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Whom a method on a clock meets when, on the simulated one or in real time.
void read_pace(const Settings& s, Plan& plan);
/// Refuses ways of the messages that make ranks wait for each other.
void check_real_exchange(const Settings& exchange, Plan& plan);
/// Of the client that has been met most often on the simulated clock: in how many server steps it
/// has taken part after 0, 1, ..., plan.rounds of them.
std::vector<std::uint32_t> most_contacts(const Plan& plan);
/// Reads the keys that real time alone has.
void declare_real_time(const Settings& s);

}  // namespace trilemma
