#include "base/clock.hpp"

// Compiled for each MPI, as `comm` is: SimGrid simulates the clock too.
#if defined(TRILEMMA_SIMGRID)
#include <ctime>
extern "C" int smpi_clock_gettime(clockid_t clock, timespec* time);
#else
#include <chrono>
#endif

namespace trilemma {

#if defined(TRILEMMA_SIMGRID)

bool is_simulated() { return true; }

double now_seconds() {
  timespec time{};
  smpi_clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Ticks now_ticks() { return static_cast<Ticks>(now_seconds() * 1e9); }

double TickScale::factor() const { return 1e-9; }  // simulated time may stand still

#else

bool is_simulated() { return false; }

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Ticks now_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();  // the header that declares it takes half a second to compile
#else
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

double TickScale::factor() const {
  double seconds = now_seconds() - seconds_;
  while (seconds < 2e-3) seconds = now_seconds() - seconds_;
  return seconds / static_cast<double>(now_ticks() - ticks_);
}

#endif

}  // namespace trilemma
