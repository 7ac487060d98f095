#pragma once
// Ends a rank that makes no progress, and with it the job.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/heartbeat.hpp"

namespace trilemma {

/// Once it is told how long to wait, a thread looks for heartbeats. Where one takes longer than
/// that it says so and ends the process with exit_failed_run; the launcher then ends the others. No
/// clean-up: the thread of the rank is stuck.
class Watchdog {
 public:
  explicit Watchdog(const Heartbeat& heart) : heart_(heart) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Most seconds between two beats; 0 = no limit. `failure_file` as in RunOptions.
  void set(double seconds, int rank, const std::string& failure_file);

 private:
  void watch();

  const Heartbeat& heart_;
  std::mutex mutex_;  ///< of what follows
  double seconds_ = 0;
  int rank_ = 0;
  std::string failure_file_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace trilemma
