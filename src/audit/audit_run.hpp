#pragma once
// Runs one federation from start to end and records what the adversary of its claim observes.

#include "audit/adversary_view.hpp"

namespace trilemma {

/// Runs audited federations one after the other. Each one is assembled like an experiment, and its
/// rounds are those of an experiment.
class AuditRunner {
 public:
  AuditRunner(const AuditPlan& audit, const Placement& placement, Ranks& ranks)
      : audit_(audit), place_(placement), ranks_(ranks) {}

  /// Returns the adversary's observations by round and place on rank 0; empty on other ranks.
  std::vector<double> run(CanaryData data, std::uint64_t seed, std::span<const Canary> places,
                          Sight sight = Sight::adversary);

 private:
  Plan plan_of(CanaryData data, std::uint64_t seed, std::uint32_t tested) const;

  const AuditPlan& audit_;
  Placement place_;
  Ranks& ranks_;
  PhaseTimer timer_{false};
};

/// Use of a seed; different uses have different seeds.
enum class SeedOf : std::uint32_t { absent, present, pair, one_run, coins };
/// Returns the seed of run number `run` in a world (or of a pair of runs), derived from the
/// experiment's seed.
std::uint64_t run_seed(std::uint64_t seed, SeedOf what, std::uint32_t run);

}  // namespace trilemma
