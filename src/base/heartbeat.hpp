#pragma once
// Sign of life of a rank, for the watchdog.

#include <atomic>
#include <cstdint>

namespace trilemma {

/// Counts finished activities of a rank; may be read from another thread.
class Heartbeat {
 public:
  /// Records that an activity has finished. `done` describes it and must have static storage.
  void beat(const char* done) {
    beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    done_.store(done, std::memory_order_relaxed);
  }
  /// Returns the number of finished activities; last_done() describes the last one.
  std::uint64_t beats() const { return beats_.load(std::memory_order_relaxed); }
  const char* last_done() const { return done_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> beats_{0};
  std::atomic<const char*> done_{"the launch"};
};

}  // namespace trilemma
