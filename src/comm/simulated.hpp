#pragma once

namespace trilemma {

/// Returns whether the ranks are simulated: all in one process and one thread, started by smpirun,
/// which sets no variables of a launcher. A simulation has no watchdog, since it cannot hang on a
/// network.
bool is_simulated();

}  // namespace trilemma
