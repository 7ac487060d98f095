#pragma once

#include "comm/watchdog.hpp"
#include "run/options.hpp"

namespace trilemma {

/// Sets the limit on the time of a phase before MPI starts, which can hang too; what is wrong with
/// the configuration is said later.
void watch_the_launch(const RunOptions& options, Watchdog& watchdog);

}  // namespace trilemma
