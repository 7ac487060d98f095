#pragma once
// One federation from its start to its end, as somebody sees it who reads every message.

#include "comm/exchange.hpp"
#include "experiment/audit_plan.hpp"
#include "experiment/phase_timer.hpp"

namespace trilemma {

/// Runs audited federations, one after the other. Every one is assembled anew like an experiment,
/// and its bytes pass the exchange of an experiment.
class AuditRunner {
 public:
  AuditRunner(AuditPlan& audit, const Placement& placement, Exchange& exchange);

  /// Projections of what the clients released, by round and place, at the clients and coordinates
  /// of `places`: the gathered messages decoded as the server does, freed of the compressor's gain
  /// and of the shift, which who reads all messages knows. NaN where a message leaves the
  /// coordinate out. Rank 0; empty elsewhere.
  std::vector<double> run(CanaryData data, std::uint64_t seed, std::span<const Canary> places);

 private:
  void read(std::span<const std::byte> bytes, std::uint32_t round, std::span<const Canary> places,
            std::vector<double>& out);
  void read_message(std::span<const std::byte> bytes, std::uint32_t client, std::uint32_t round);

  AuditPlan& audit_;
  Placement place_;
  Exchange& exchange_;
  Layout layout_;
  double gain_ = 1;        ///< of the compressor
  double shift_step_ = 0;  ///< 0: no shift
  Message message_;
  std::vector<Vector> shift_;     ///< by client, as both ends of the link know it
  std::vector<double> released_;  ///< of one message; NaN where nothing was sent
  PhaseTimer timer_{false};
};

/// What a seed is for; no two uses share one.
enum class SeedOf : std::uint32_t { absent, present, pair, one_run, coins };
/// Seed of run number `run` in a world (or of a pair of runs): a function of the experiment's seed.
std::uint64_t run_seed(std::uint64_t seed, SeedOf what, std::uint32_t run);

}  // namespace trilemma
