#pragma once

namespace trilemma {

/// Whether the ranks are simulated: all in one process and one thread, started by smpirun, which
/// sets no variables of a launcher. A simulation has no watchdog, since it cannot hang on a
/// network.
#if defined(TRILEMMA_SIMGRID)
inline constexpr bool is_simulated = true;
#else
inline constexpr bool is_simulated = false;
#endif

}  // namespace trilemma
