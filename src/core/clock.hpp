#pragma once
// A clock that is cheap enough to time every phase of a round of some ten microseconds.

#include <chrono>
#include <cstdint>

namespace trilemma {

using Ticks = std::uint64_t;

/// Ticks of the time stamp counter (about 10 ns a reading; steady_clock takes 25 to 40 ns on
/// virtual machines); nanoseconds of steady_clock where there is no such counter.
inline Ticks now_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();  // the header that names it takes half a second to compile
#else
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Seconds of the steady clock since an arbitrary start.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Converts ticks into seconds by comparing both clocks since its construction; the longer it lives
/// the better the factor, which is within 1e-4 after some milliseconds.
class TickScale {
 public:
  /// Seconds per tick.
  double factor() const {
    double seconds = now_seconds() - seconds_;
    while (seconds < 2e-3) seconds = now_seconds() - seconds_;
    return seconds / static_cast<double>(now_ticks() - ticks_);
  }

 private:
  double seconds_ = now_seconds();
  Ticks ticks_ = now_ticks();
};

}  // namespace trilemma
