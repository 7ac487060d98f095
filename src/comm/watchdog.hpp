#pragma once
// A watchdog that ends a rank without progress, and with it the job.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/phase_timer.hpp"

namespace trilemma {

/// Watches heartbeats in a thread of its own once set() has given a limit. If no beat arrives
/// within the limit, the thread reports it and ends the process with exit_failed_run; the launcher
/// then ends the other ranks. Nothing is cleaned up, since the thread of the rank is stuck.
class Watchdog {
 public:
  explicit Watchdog(const Heartbeat& heart) : heart_(heart) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Sets the largest time in seconds between two beats; 0 = no limit. `failure_file` as in
  /// RunOptions.
  void set(double seconds, int rank, const std::string& failure_file);

 private:
  void watch();

  const Heartbeat& heart_;
  std::mutex mutex_;  ///< protects the members below
  double seconds_ = 0;
  int rank_ = 0;
  std::string failure_file_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace trilemma
