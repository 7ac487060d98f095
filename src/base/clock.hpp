#pragma once
// Clocks that are cheap enough to time every phase of a round of about ten microseconds.

#include <chrono>
#include <cstdint>

#if defined(TRILEMMA_SIMGRID)
#include <ctime>
extern "C" int smpi_clock_gettime(clockid_t clock, timespec* time);
#endif

namespace trilemma {

using Ticks = std::uint64_t;

/// Returns the seconds of the steady clock since an arbitrary start; under SimGrid those of the
/// simulation.
inline double now_seconds() {
#if defined(TRILEMMA_SIMGRID)
  timespec time{};
  smpi_clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

/// Returns the time stamp counter (about 10 ns a reading; steady_clock takes 25 to 40 ns on virtual
/// machines); nanoseconds if there is no such counter, or under SimGrid, where it does not measure
/// simulated time.
inline Ticks now_ticks() {
#if defined(TRILEMMA_SIMGRID)
  return static_cast<Ticks>(now_seconds() * 1e9);
#elif defined(__x86_64__)
  return __builtin_ia32_rdtsc();  // the header that declares it takes half a second to compile
#else
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Converts ticks to seconds by comparing both clocks since its construction. The factor becomes
/// more precise over time; after some milliseconds its relative error is below 1e-4.
class TickScale {
 public:
  /// Returns the seconds per tick.
  double factor() const {
#if defined(TRILEMMA_SIMGRID)
    return 1e-9;  // simulated time may stand still
#else
    double seconds = now_seconds() - seconds_;
    while (seconds < 2e-3) seconds = now_seconds() - seconds_;
    return seconds / static_cast<double>(now_ticks() - ticks_);
#endif
  }

 private:
  double seconds_ = now_seconds();
  Ticks ticks_ = now_ticks();
};

}  // namespace trilemma
