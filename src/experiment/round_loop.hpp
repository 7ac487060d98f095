#pragma once

#include "comm/exchange.hpp"
#include "experiment/assembly.hpp"
#include "experiment/observer.hpp"
#include "privacy/account.hpp"

namespace trilemma {

/// How a run ended; the same on every rank.
enum class Outcome { finished, failed };

/// The rounds of an experiment on one rank. Rank 0 passes a run file, the others nullptr.
class RoundLoop {
 public:
  RoundLoop(const Plan& plan, Assembly& parts, Exchange& exchange, const Placement& placement,
            RunFile* file, bool quiet);

  /// Where the column epsilon comes from; without it the column is NaN. The curve must outlive
  /// this.
  void set_epsilon(const EpsilonCurve& curve) { epsilon_ = &curve; }

  /// Runs all rounds; stops early with the cause in the run file where a metric is not finite.
  Outcome run();
  /// Round and cause of an early stop; empty on other ranks than 0.
  const std::string& failure() const { return failure_; }

 private:
  void round(std::uint32_t t);
  void count_bits();
  bool evaluate(std::uint32_t done);
  void note_row(std::uint32_t done, const Metrics& metrics);
  void note_phases(std::size_t records);
  void deliver();

  const Plan& plan_;
  Assembly& parts_;
  Exchange& exchange_;
  Placement place_;
  RunFile* file_;
  const EpsilonCurve* epsilon_ = nullptr;
  Progress progress_;
  PhaseTimer timer_;
  TickScale scale_;
  Layout layout_;
  std::vector<std::uint32_t> participants_;
  RunRow row_{};  ///< running counts, rank 0
  double utility_sum_ = 0;
  std::size_t evaluations_ = 0;
  std::vector<RunRow> rows_;    ///< not delivered yet, rank 0
  std::vector<double> phases_;  ///< rows x (phases + records drawn), not delivered yet
  std::string failure_;
  double started_ = 0;
  double delivered_ = 0;                ///< time of the last delivery
  std::size_t rounds_to_delivery_ = 1;  ///< said by rank 0
};

}  // namespace trilemma
