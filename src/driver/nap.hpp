#pragma once

#include <chrono>
#include <thread>

namespace trilemma {

/// What a rank does that has nothing to do: leaves the processor to others for a moment.
inline void nap() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

}  // namespace trilemma
