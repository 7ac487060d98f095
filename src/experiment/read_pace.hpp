#pragma once

#include "experiment/plan.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Chooses the simulated clock or the real-time policy of an asynchronous method.
void read_pace(const Settings& s, Plan& plan);
/// Derives what depends on the number of rounds, which a budget may have set: the last server step
/// and, for private runs, the largest number of contacts of a client after each step. Throws
/// UserError for more steps than can be simulated.
void settle_pace(const Settings& s, Plan& plan);
/// Throws UserError for uplinks and downlinks that make ranks wait for each other; sets the uplink
/// of real time.
void check_real_exchange(const Settings& exchange, Plan& plan);

}  // namespace trilemma
