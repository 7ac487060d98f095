#pragma once
// Time spent in each phase of a round on this rank.

#include <array>
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/types.hpp"

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

/// Phases of a round.
enum class Phase : std::size_t {
  broadcast,
  local,
  bound,
  perturb,
  compress,
  encode,
  exchange,
  decode,
  server,
  evaluate,
  record,
  wait,
  checkpoint,
};
inline constexpr const char* phase_names[] = {
    "broadcast", "local",  "bound",    "perturb", "compress", "encode",    "exchange",
    "decode",    "server", "evaluate", "record",  "wait",     "checkpoint"};
inline constexpr std::size_t phase_count = std::size(phase_names);

/// A stop watch for consecutive phases: lap(p) books the time since the last call on phase p.
class PhaseTimer {
 public:
  /// Every lap is a beat of `heart`, unless that is null.
  explicit PhaseTimer(bool enabled, Heartbeat* heart = nullptr)
      : enabled_(enabled), heart_(heart) {}
  /// Starts the first phase.
  void start() {
    if (enabled_) last_ = now_ticks();
  }
  /// Books the time since the last call on `phase` and reports progress to the watchdog.
  void lap(Phase phase) {
    beat(phase_names[static_cast<std::size_t>(phase)]);
    book(phase);
  }
  /// Reports progress to the watchdog; `done` as in Heartbeat::beat().
  void beat(const char* done) {
    if (heart_ != nullptr) heart_->beat(done);
  }
  /// Books the time since the last call on `phase` without reporting progress to the watchdog.
  void book(Phase phase) {
    if (!enabled_) return;
    const Ticks now = now_ticks();
    spent_[static_cast<std::size_t>(phase)] += now - last_;
    last_ = now;
  }
  /// Returns the ticks per phase since the last call of take().
  std::array<Ticks, phase_count> take() {
    const auto result = spent_;
    spent_.fill(0);
    return result;
  }

 private:
  bool enabled_;
  Heartbeat* heart_;
  Ticks last_ = 0;
  std::array<Ticks, phase_count> spent_{};
};

}  // namespace trilemma
