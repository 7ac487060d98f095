#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// $TRILEMMA_WATCHDOG, with which job scripts set the limit for experiments that set none; else 0.
double default_watchdog_seconds();

/// Reads how a run is computed and kept: timing, processor, checkpoints, watchdog, twins for tests.
void read_execution(const Settings& s, Plan& plan);

}  // namespace trilemma
