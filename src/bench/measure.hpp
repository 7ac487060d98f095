#pragma once
// Measurement of a kernel: repetitions of its rounds by the round of every run.

#include <array>
#include <functional>

#include "base/phase_timer.hpp"
#include "bench/judge.hpp"
#include "bench/kernels.hpp"
#include "comm/ranks.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// The ranks of the job.
struct BenchRanks {
  Ranks& ranks;
  const Communicator& communicator;  ///< null for a single process
  Placement place;                   ///< without clients
  std::vector<std::int64_t> node;    ///< rank 0: node of each rank
};

/// Result of a kernel, on rank 0.
struct BenchResult {
  BenchCase of;
  BenchFacts facts;
  std::vector<Finding> findings;  ///< empty = valid
  /// Seconds of the phases of the timed rounds: mean over ranks and repetitions.
  std::array<double, phase_count> phases{};
  std::uint64_t control_bytes = 0;  ///< agreement and recording through MPI in the timed rounds
  std::size_t dimension = 0;
  std::string config;  ///< resolved, as TOML
  double epsilon = std::numeric_limits<double>::quiet_NaN();

  bool is_valid() const { return findings.empty(); }
  /// Returns the figure of merit: client updates per second at the median of the repetitions.
  double merit() const;
};

/// Returns the plan of a case; collective callers read it on every rank.
Plan plan_of(const BenchCase& of, const std::vector<std::string>& more = {});

/// Measures `repetitions` of a case and sets in `result`, on rank 0, what ranks measured; facts
/// about the machine and the rules are left to the caller. Collective. Returns 0, or the exit code
/// on all ranks if one of them cannot generate its records or assemble its parts.
int measure(const BenchCase& of, const Plan& plan, BenchRanks& on, long repetitions,
            BenchResult& result);

/// Returns the times of the calibration, whose message has `bytes`. Collective; the same on all
/// ranks.
CalibrationFacts calibration(const BenchRanks& on, std::size_t bytes);

/// Returns the bytes that ranks hand to MPI in `rounds` rounds for updates and for models: the
/// closed form of `plan` on `place`, whose ranks are on `nodes` nodes. Where the sizes of messages
/// vary, there is none for updates, and up_low > up_high.
LedgerFacts expected_ledger(const Plan& plan, const Placement& place, long rounds, int nodes = 1);

}  // namespace trilemma
