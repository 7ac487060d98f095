#pragma once
// One federation from its start to its end, as the adversary of its claim sees it.

#include "audit/adversary_view.hpp"

namespace trilemma {

/// Runs audited federations, one after the other. Every one is assembled afresh like an experiment,
/// and its rounds are those of an experiment.
class AuditRunner {
 public:
  AuditRunner(const AuditPlan& audit, const Placement& placement, Ranks& ranks)
      : audit_(audit), place_(placement), ranks_(ranks) {}

  /// What the adversary has seen, by round and place. Rank 0; empty elsewhere.
  std::vector<double> run(CanaryData data, std::uint64_t seed, std::span<const Canary> places,
                          Sight sight = Sight::adversary);

 private:
  Plan plan_of(CanaryData data, std::uint64_t seed, std::uint32_t tested) const;

  const AuditPlan& audit_;
  Placement place_;
  Ranks& ranks_;
  PhaseTimer timer_{false};
};

/// What a seed is for; no two uses share one.
enum class SeedOf : std::uint32_t { absent, present, pair, one_run, coins };
/// Seed of run number `run` in a world (or of a pair of runs): a function of the experiment's seed.
std::uint64_t run_seed(std::uint64_t seed, SeedOf what, std::uint32_t run);

}  // namespace trilemma
