#pragma once

#include "experiment/plan.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Whom a method on a clock meets when, on the simulated one or in real time.
void read_pace(const Settings& s, Plan& plan);
/// What follows on the simulated clock from the number of rounds, which a budget may have set: the
/// last server step, and where there is a claim the most contacts of any client after each; refuses
/// more steps than can be gone through.
void settle_pace(const Settings& s, Plan& plan);
/// Refuses ways of the messages that make ranks wait for each other.
void check_real_exchange(const Settings& exchange, Plan& plan);

}  // namespace trilemma
