#pragma once

#include <functional>

#include "comm/ledger.hpp"
#include "driver/driver.hpp"
#include "machine/load.hpp"
#include "run/checkpointer.hpp"
#include "run/metrics_collector.hpp"

namespace trilemma {

/// How a run ended; the same on every rank.
enum class Outcome { finished, failed, stopped };

/// The metric of the privacy loss.
inline constexpr Metric epsilon_spent = {
    .name = "epsilon",
    .units = "1",
    .description =
        "upper bound on the epsilon spent so far, within 1 % of the tight one; "
        "NaN = not accounted",
    .provenance = Provenance::released,
    .better = Metric::Better::lower};

/// An experiment on one rank, from its start or a checkpoint to its end.
class RunLoop {
 public:
  /// Declares the run's own metrics in the metric log of the parts.
  RunLoop(const Plan& plan, Assembly& parts, Ranks& ranks, const Placement& placement,
          Heartbeat* heart = nullptr);

  /// Sets the function that gives the column epsilon; without it the column is NaN.
  void set_epsilon(std::function<double(std::uint32_t rounds)> spent) {
    epsilon_ = std::move(spent);
  }

  /// Sets the function that receives the rounds done and all rounds; before record().
  void set_listener(std::function<void(std::int64_t, std::int64_t)> tell) {
    tell_ = std::move(tell);
  }

  /// Sets the file for the rows and the node of each rank: rank 0 passes them, the others nullptr.
  void record(RunFile* file, bool quiet, std::vector<std::int64_t> node = {});

  /// Starts from the state of a checkpoint (rank 0 passes the reader, the others nullptr).
  /// Collective.
  void restore(const CheckpointReader* checkpoint) {
    checkpointer_->restore(checkpoint);
    is_restored_ = true;
  }

  /// Sets the state that a finished run had after `rounds` rounds, which is "extended" or
  /// "replayed", on rank 0, and an empty one on other ranks; a different state ends the run.
  void expect_state(std::uint32_t rounds, Vector state, const char* what_is_done) {
    expected_at_ = rounds;
    expected_by_ = what_is_done;
    expected_ = std::move(state);
  }
  /// Runs all rounds. Stops early if a metric is not finite, recording the cause in the run file,
  /// or if a signal requests it, with a checkpoint. Collective.
  Outcome run();
  /// Returns the number of rounds done.
  std::uint32_t rounds_done() const { return driver_->step(); }
  /// Returns round and cause of an early stop; empty on ranks other than 0.
  const std::string& failure() const { return failure_; }

 private:
  std::uint32_t next_stop() const;
  bool start();
  bool evaluate();
  bool has_failed();
  void end_row();
  void deliver();
  void save_if_due();
  void check_expected();
  void record_times();
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
  LoadMeter load_;
  std::uint32_t began_at_ = 0;      ///< rounds done before this start
  std::vector<std::int64_t> node_;  ///< rank 0: node of each rank
  std::function<void(std::int64_t, std::int64_t)> tell_;
  std::optional<Progress> progress_;
  std::optional<MetricsCollector> collector_;
  std::optional<Checkpointer> checkpointer_;
  bool is_restored_ = false;
  std::uint32_t expected_at_ = 0;
  const char* expected_by_ = "";
  Vector expected_;  ///< empty: no state is expected
  std::string failure_;
  std::optional<std::uint32_t> failed_after_;  ///< rounds before the one that failed
  Order order_ = Order::go_on;                 ///< of the last delivery
};

}  // namespace trilemma
