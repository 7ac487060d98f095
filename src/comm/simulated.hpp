#pragma once

namespace trilemma {

/// Whether ranks are those of a simulation: all in one process and one thread, started by smpirun,
/// which leaves no sign of a launcher. There is no watchdog then; nothing hangs for real.
#if defined(TRILEMMA_SIMGRID)
inline constexpr bool is_simulated = true;
#else
inline constexpr bool is_simulated = false;
#endif

}  // namespace trilemma
