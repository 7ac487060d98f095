#pragma once
// A sign of life of a rank, for the thread that watches it.

#include <atomic>
#include <cstdint>

namespace trilemma {

class Heartbeat {
 public:
  /// Something has come to its end; `done` says what, in words that live for ever.
  void beat(const char* done) {
    beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    done_.store(done, std::memory_order_relaxed);
  }
  std::uint64_t beats() const { return beats_.load(std::memory_order_relaxed); }
  const char* last_done() const { return done_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> beats_{0};
  std::atomic<const char*> done_{"the launch"};
};

}  // namespace trilemma
