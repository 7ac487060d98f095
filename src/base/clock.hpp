#pragma once
// Clocks that are cheap enough to time every phase of a round of about ten microseconds.

#include <cstdint>

namespace trilemma {

/// Returns whether the ranks and their clock are simulated by SimGrid: all ranks are in one process
/// and one thread, started by smpirun, which sets no variables of a launcher. A simulation has no
/// watchdog, since it cannot hang on a network.
bool is_simulated();

using Ticks = std::uint64_t;

/// Returns the seconds of the steady clock since an arbitrary start; under SimGrid those of the
/// simulation.
double now_seconds();

/// Returns the time stamp counter (about 10 ns a reading; steady_clock takes 25 to 40 ns on virtual
/// machines); nanoseconds if there is no such counter, or under SimGrid, where it does not measure
/// simulated time.
Ticks now_ticks();

/// Converts ticks to seconds by comparing both clocks since its construction. The factor becomes
/// more precise over time; after some milliseconds its relative error is below 1e-4.
class TickScale {
 public:
  /// Returns the seconds per tick.
  double factor() const;

 private:
  double seconds_ = now_seconds();
  Ticks ticks_ = now_ticks();
};

}  // namespace trilemma
