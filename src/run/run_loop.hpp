#pragma once

#include <functional>

#include "comm/traffic.hpp"
#include "driver/driver.hpp"
#include "run/checkpointer.hpp"
#include "run/metrics_collector.hpp"

namespace trilemma {

/// How a run ended; the same on every rank.
enum class Outcome { finished, failed, stopped };

/// An experiment on one rank, from its start or a checkpoint to its end.
class RunLoop {
 public:
  /// Declares in the parts' metric log what a run adds to it.
  RunLoop(const Plan& plan, Assembly& parts, Ranks& ranks, const Placement& placement,
          Heartbeat* heart = nullptr);

  /// Where the column epsilon comes from; without it the column is NaN.
  void set_epsilon(std::function<double(std::uint32_t rounds)> spent) {
    epsilon_ = std::move(spent);
  }

  /// Where the rows go: rank 0 passes a run file, the others nullptr.
  void record(RunFile* file, bool quiet);

  /// Takes the state of a checkpoint (rank 0 passes the reader, the others nullptr) instead of the
  /// start. Collective.
  void restore(const CheckpointReader* checkpoint) {
    checkpointer_->restore(checkpoint);
    is_restored_ = true;
  }

  /// The state that a finished run had after so many rounds, which is "extended" or "replayed";
  /// another one ends the run. Rank 0.
  void expect_state(std::uint32_t rounds, Vector state, const char* what_is_done) {
    expected_at_ = rounds;
    expected_by_ = what_is_done;
    expected_ = std::move(state);
  }
  /// Runs all rounds; stops early with the cause in the run file where a metric is not finite, and
  /// with a checkpoint where a signal asks for it. Collective.
  Outcome run();
  /// Rounds done so far.
  std::uint32_t rounds_done() const { return driver_->step(); }
  /// Round and cause of an early stop; empty on other ranks than 0.
  const std::string& failure() const { return failure_; }

 private:
  std::uint32_t next_stop() const;
  bool start();
  bool evaluate();
  void end_row();
  void deliver();
  void save_if_due();
  void check_expected() const;
  Outcome end(bool good);

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  Placement place_;
  RunFile* file_ = nullptr;
  std::uint32_t rounds_;
  std::unique_ptr<Driver> driver_;
  MetricLog::Id spent_;  ///< epsilon
  TrafficMetrics traffic_;
  std::function<double(std::uint32_t rounds)> epsilon_;
  PhaseTimer timer_;
  std::optional<Progress> progress_;
  std::optional<MetricsCollector> collector_;
  std::optional<Checkpointer> checkpointer_;
  bool is_restored_ = false;
  std::uint32_t expected_at_ = 0;
  const char* expected_by_ = "";
  Vector expected_;  ///< empty: nothing is expected
  std::string failure_;
  Order order_ = Order::go_on;  ///< at the last delivery
};

}  // namespace trilemma
