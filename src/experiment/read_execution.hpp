#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the number of seconds in $TRILEMMA_WATCHDOG, with which job scripts set the limit for
/// experiments that set none; otherwise 0. Throws UserError if it is not a number of at least 0.
double default_watchdog_seconds();

/// Reads the sections `timing`, `processor`, `communication`, `checkpoint`, `watchdog` and `debug`,
/// and the key `numerics`.
void read_execution(const Settings& s, Plan& plan);

}  // namespace trilemma
