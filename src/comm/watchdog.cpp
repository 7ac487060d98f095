#include "comm/watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "comm/collectively.hpp"

namespace trilemma {
namespace {

// If one rank hangs, all others wait for it. Later ranks get more time, rank 0 the least, so that
// the job has usually ended before a second rank reports the same.
double patience(double seconds, int rank) {
  return seconds + (rank == 0 ? 0.0 : 2.0 + std::min(rank, 20));
}

}  // namespace

void Watchdog::set(double seconds, int rank, const std::string& failure_file) {
  const std::lock_guard lock(mutex_);
  rank_ = rank;
  seconds_ = seconds;
  failure_file_ = failure_file;
  if (!is_simulated() && seconds > 0 && !thread_.joinable())
    thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::watch() {
  std::uint64_t beats = heart_.beats();
  double since = now_seconds();
  std::unique_lock lock(mutex_);
  const auto next_look = [this] { return std::clamp(seconds_ / 10, 0.05, 1.0); };
  while (
      !wake_.wait_for(lock, std::chrono::duration<double>(next_look()), [this] { return over_; })) {
    const double limit = patience(seconds_, rank_);
    if (heart_.beats() != beats || seconds_ == 0) {
      beats = heart_.beats();
      since = now_seconds();
    } else if (now_seconds() - since > limit) {
      report_failure(
          fmt::format("rank {}: no progress for {:.3g} s since the end of \"{}\" "
                      "(watchdog.seconds = {:.3g}); this rank, another one or the network "
                      "hangs; restart it with --resume",
                      rank_, now_seconds() - since, heart_.last_done(), seconds_),
          failure_file_);
      std::fflush(stderr);
      std::_Exit(exit_failed_run);
    }
  }
}

}  // namespace trilemma
