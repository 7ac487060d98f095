#pragma once
// One federation from its start to its end, as the adversary of its claim sees it.

#include "audit/tap.hpp"
#include "comm/exchange.hpp"
#include "federation/phase_timer.hpp"

namespace trilemma {

/// Of a sum or mean: what the adversary sees, without what it knows of the others; or, for a
/// measurement, without all that the others contribute.
enum class Sight { adversary, own };

/// Runs audited federations, one after the other. Every one is assembled afresh like an experiment,
/// and its bytes pass the exchange of an experiment.
class AuditRunner {
 public:
  AuditRunner(AuditPlan& audit, const Placement& placement, Exchange& exchange);

  /// Projections of what is released, by round and place, on the direction of the canary at each of
  /// `places`: of a message, the place's client's; of the sum or mean (one place), with what is
  /// known of the others taken out. NaN where the adversary knows that the place shows nothing: its
  /// client is away, or the coordinate is left out. Rank 0; empty elsewhere.
  std::vector<double> run(CanaryData data, std::uint64_t seed, std::span<const Canary> places,
                          Sight sight = Sight::adversary);

 private:
  bool begin(CanaryData data, std::uint64_t seed, std::span<const Canary> places);
  void read_messages(std::span<const std::byte> all, std::uint32_t round,
                     std::span<const Canary> places, std::vector<double>& out);
  double sum(std::span<const std::byte> all, std::uint32_t round, const Canary& place, Sight sight);
  double others(std::span<const std::byte> all, std::uint32_t round, const Canary& place);
  double mean(std::uint32_t round, const Canary& place, double others);
  double project(std::span<const double> vector, std::size_t at) const;

  AuditPlan& audit_;
  Placement place_;
  Exchange& exchange_;
  MessageReader reader_;
  TappedStep* step_ = nullptr;  ///< in the plan
  Bytes step_at_start_;
  StateShape shape_;
  std::vector<std::uint32_t> participants_;
  bool is_drawn_ = true;  ///< the client of the only place takes part
  double before_ = 0;     ///< estimate of the server's memory after the last round
  PhaseTimer timer_{false};
};

/// What a seed is for; no two uses share one.
enum class SeedOf : std::uint32_t { absent, present, pair, one_run, coins };
/// Seed of run number `run` in a world (or of a pair of runs): a function of the experiment's seed.
std::uint64_t run_seed(std::uint64_t seed, SeedOf what, std::uint32_t run);

}  // namespace trilemma
