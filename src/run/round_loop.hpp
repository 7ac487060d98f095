#pragma once

#include "comm/exchange.hpp"
#include "privacy/account.hpp"
#include "run/checkpointer.hpp"
#include "run/observer.hpp"

namespace trilemma {

/// How a run ended; the same on every rank.
enum class Outcome { finished, failed, stopped };

/// The rounds of an experiment on one rank. Rank 0 passes a run file, the others nullptr.
class RoundLoop {
 public:
  RoundLoop(const Plan& plan, Assembly& parts, Exchange& exchange, const Placement& placement,
            RunFile* file, bool quiet, Heartbeat* heart = nullptr);

  /// Where the column epsilon comes from; without it the column is NaN. The curve must outlive
  /// this.
  void set_epsilon(const accounting::EpsilonCurve& curve) { epsilon_ = &curve; }

  /// Takes the state of a checkpoint (rank 0 passes the reader, the others nullptr) instead of the
  /// start. Collective.
  void restore(const CheckpointReader* checkpoint) {
    checkpointer_.restore(checkpoint);
    is_restored_ = true;
  }

  /// The state that a finished run had after so many rounds; another one ends the run. Rank 0.
  void expect_state(std::uint32_t rounds, Vector state) {
    expected_at_ = rounds;
    expected_ = std::move(state);
  }
  /// Runs all rounds; stops early with the cause in the run file where a metric is not finite, and
  /// with a checkpoint where a signal asks for it. Collective.
  Outcome run();
  /// Rounds done so far.
  std::uint32_t rounds_done() const { return at_.done; }
  /// Round and cause of an early stop; empty on other ranks than 0.
  const std::string& failure() const { return failure_; }

 private:
  /// What a row's drift is the mean of.
  struct Drifts {
    std::size_t participants;
    std::uint64_t sum;  ///< in units of ClientCounts
  };
  /// What rank 0 says to all at a delivery.
  enum class Order { go_on, save, stop };

  void round(std::uint32_t t);
  void count_bits();
  bool evaluate();
  void note_row(const Metrics& metrics);
  void note_phases(const ClientCounts& counts);
  void add_counts(const double* counts, RunRow& row, Drifts& drifts);
  void deliver();
  Order decide(bool stop_asked_for) const;
  void save_if_due();
  void check_expected() const;
  Outcome end(bool good);

  const Plan& plan_;
  Assembly& parts_;
  Exchange& exchange_;
  Placement place_;
  RunFile* file_;
  const accounting::EpsilonCurve* epsilon_ = nullptr;
  Progress progress_;
  PhaseTimer timer_;
  TickScale scale_;
  Layout layout_;
  StateShape shape_;
  std::vector<std::uint32_t> participants_;
  Progression at_;
  Checkpointer checkpointer_;
  bool is_restored_ = false;
  std::uint32_t expected_at_ = 0;
  Vector expected_;             ///< empty: nothing is expected
  bool tells_drift_;            ///< updates show how far local steps have led
  std::vector<Drifts> drifts_;  ///< of the rows
  std::vector<RunRow> rows_;    ///< not delivered yet, rank 0
  std::vector<double> phases_;  ///< rows x (phases + counts), not delivered yet
  std::string failure_;
  Order order_ = Order::go_on;          ///< at the last delivery
  double delivered_ = 0;                ///< time of the last delivery
  std::size_t rounds_to_delivery_ = 1;  ///< said by rank 0
};

}  // namespace trilemma
