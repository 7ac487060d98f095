#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/clock.hpp"
#include "base/sha256.hpp"
#include "claim/verify.hpp"
#include "comm/collectively.hpp"
#include "driver/driver.hpp"
#include "experiment/budget.hpp"
#include "experiment/claim.hpp"
#include "experiment/client_records.hpp"
#include "experiment/plan.hpp"
#include "experiment/read_plan.hpp"
#include "federation/assembly.hpp"
#include "machine/load.hpp"
#include "network/common_clock.hpp"
#include "network/network.hpp"
#include "network/timing.hpp"
#include "problem/kernels/product.hpp"

namespace trilemma {
namespace {

// What one rank measured in the timed rounds of a repetition.
struct RankTimes {
  double seconds = 0;
  std::array<double, phase_count> phases{};
  RankLoad load;

  std::vector<double> packed() const {
    std::vector<double> out{seconds};
    out.insert(out.end(), phases.begin(), phases.end());
    const auto rest = load.packed();
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
  static std::size_t packed_size() { return 1 + phase_count + RankLoad::packed_size(); }
  static RankTimes unpacked(std::span<const double> from) {
    RankTimes times;
    times.seconds = from[0];
    std::copy_n(from.begin() + 1, phase_count, times.phases.begin());
    times.load = RankLoad::unpacked(from.subspan(1 + phase_count));
    return times;
  }
  double phase_share() const {
    return std::accumulate(phases.begin(), phases.end(), 0.0) / seconds;
  }
};

// Takes the federation through the warm-up; returns the checksum of the model on rank 0.
std::string warm_up(Driver& driver, const Placement& place) {
  PhaseTimer timer(true);
  driver.run_until(static_cast<std::uint32_t>(warm_up_rounds), timer);
  driver.gather_model();
  return place.rank == 0 ? sha256(std::as_bytes(driver.model())) : "";
}

// Takes the federation through the timed rounds, up to `rounds`.
RankTimes timed_rounds(Driver& driver, long rounds, Ranks& ranks, Ledger& spent) {
  PhaseTimer timer(true);
  const TickScale scale;
  RankTimes times;
  LoadMeter load;
  spent = ranks.ledger();
  if (!is_simulated()) load.start();
  ranks.barrier();
  timer.start();
  const double begun = now_seconds();
  driver.run_until(static_cast<std::uint32_t>(rounds), timer);
  ranks.barrier();
  timer.lap(Phase::wait);
  times.seconds = now_seconds() - begun;
  if (!is_simulated()) times.load = load.load();
  const double seconds_per_tick = scale.factor();
  std::ranges::transform(timer.take(), times.phases.begin(), [&](Ticks ticks) {
    return seconds_per_tick * static_cast<double>(ticks);
  });
  return times;
}

// Returns the number of client updates that arrived at the server.
std::uint64_t updates_in(MetricLog& log, const Plan& plan) {
  const MetricLog::Id messages = log.find("messages");
  log.end_row(plan.rounds);
  const std::vector<double> own(log.part().begin(), log.part().end());
  log.merge(own);
  std::uint64_t count = 0;
  log.take([&](const MetricRow& row) { count = row.cells[messages].count; });
  return count;
}

TimeRecord times_of(const std::vector<RankTimes>& all, const std::vector<std::int64_t>& node,
                    long rounds) {
  if (is_simulated()) return {.status = TimeEvidence::simulated};
  std::vector<RankLoad> loads;
  for (const auto& one : all) loads.push_back(one.load);
  return time_record(loads, node, rounds);
}

// Makes one repetition and adds what it measured to `result`, on rank 0.
void repeat(const Plan& plan, const Placement& place, BenchRanks& on, Assembly& parts,
            BenchResult& result) {
  const auto driver = make_driver({plan, parts, on.ranks, place});
  Ledger before;
  const long last = result.of.is_warm_up_only ? warm_up_rounds : plan.rounds;
  const long rounds = last - warm_up_rounds;
  const std::string warm_up_model = warm_up(*driver, place);
  const RankTimes own = timed_rounds(*driver, last, on.ranks, before);
  const Ledger after = on.ranks.ledger();
  const auto gathered = on.ranks.gather_by_rank(own.packed(), Use::control);
  driver->gather_model();
  if (place.rank != 0) return;
  const std::size_t size = RankTimes::packed_size();
  std::vector<RankTimes> all;
  for (std::size_t at = 0; at < gathered.size(); at += size)
    all.push_back(RankTimes::unpacked(std::span(gathered).subspan(at, size)));
  RepetitionFacts facts{
      .seconds = own.seconds,
      .phase_share = std::ranges::min(all, {}, &RankTimes::phase_share).phase_share(),
      .model = sha256(std::as_bytes(driver->model())),
      .warm_up_model = warm_up_model,
      .updates = updates_in(*parts.metric_log, plan),
      .ledger = expected_ledger(plan, place, rounds, on.ranks.nodes()),
      .times = times_of(all, on.node, rounds)};
  facts.ledger.up = after.of(Use::up) - before.of(Use::up);
  facts.ledger.down = after.of(Use::down) - before.of(Use::down);
  result.control_bytes = after.of(Use::control) - before.of(Use::control);
  for (const auto& one : all)
    for (std::size_t p = 0; p < phase_count; ++p)
      result.phases[p] += one.phases[p] / static_cast<double>(all.size());
  result.facts.repetitions.push_back(std::move(facts));
}

// Returns the records of the clients that the rank hosts; no rank has labels or numbers of others.
PartitionedData records_of_rank(const BenchCase& of, const Plan& plan, const Placement& place) {
  const auto each = static_cast<std::size_t>(of.kernel->records);
  const auto first = static_cast<std::size_t>(place.first(place.rank));
  const auto hosted = static_cast<std::size_t>(place.count(place.rank));
  PartitionedData out;
  out.data.train = plan.source->generate(plan.data_seed, first * each, hosted * each);
  plan.problem->check(out.data.train);
  out.partition.records_of_each = each;
  out.partition.client.resize(static_cast<std::size_t>(plan.clients));
  for (std::size_t slot = 0; slot < hosted; ++slot) {
    auto& records = out.partition.client[first + slot];
    records.resize(each);
    std::iota(records.begin(), records.end(), static_cast<std::uint32_t>(slot * each));
  }
  return out;
}

// Adds the claim of the plan, and compares it with the claim of the resolved configuration.
void add_claim(const Plan& plan, const Assembly& parts, BenchResult& result) {
  Claim claim = make_claim(plan, parts.sigma, parts.shard_records);
  claim.record.rounds_executed = static_cast<double>(plan.rounds);
  const Plan again = read_plan(Settings::from_text(plan.config, "resolved configuration"));
  const Claim follows =
      make_claim(again, noise_sigma(again, parts.shard_records), parts.shard_records);
  const RunEnd end{.rows = static_cast<double>(plan.rounds) + 1, .is_complete = true};
  ClaimFacts facts{.holds = claim.status == ClaimStatus::holds, .sigma = parts.sigma};
  for (const Difference& one : privacy_differences(claim.record, follows.record, end))
    facts.differences.push_back(one.field);
  result.facts.claim = facts;
  result.epsilon = claim.record.epsilon;
}

}  // namespace

double BenchResult::merit() const {
  return static_cast<double>(of.clients() * facts.rounds) / median_seconds(facts.repetitions);
}

Plan plan_of(const BenchCase& of, const std::vector<std::string>& more) {
  return read_plan(of.settings(more));
}

LedgerFacts expected_ledger(const Plan& plan, const Placement& place, long rounds, int nodes) {
  LedgerFacts expected;
  const auto others = static_cast<std::uint64_t>(place.size - 1);
  const auto times = static_cast<std::uint64_t>(rounds);
  expected.down_expected = times * others * plan.shape().down * sizeof(real);
  if (others == 0) return expected;
  const std::size_t d = plan.shape().up;
  if (sends_sums(uplink_of(plan, place.size, place.hosts(), nodes).uplink)) {
    // The sums, and two numbers in both directions; then, in rounds in which rounding loses too
    // much of some sums, a mark for each of them and at most three more numbers.
    constexpr std::uint64_t number = 8, agreed = 2 * 2 * sizeof(int), more = 4;
    expected.up_low = times * others * (number * d + agreed);
    expected.up_high = times * others * ((1 + more) * number * d + 3 * agreed);
    // Clients that share a mask send sums of its coordinates alone.
    if (plan.compressor->traits().is_shared) expected.up_low = 0;
    return expected;
  }
  std::uint64_t remote = 0;
  for (int r = 1; r < place.size; ++r) remote += static_cast<std::uint64_t>(place.count(r));
  const double bits = bits_per_round(plan).up;
  if (std::isnan(bits)) {  // messages differ in size, so no number of bytes would be right
    expected.up_low = 1;
    expected.up_high = 0;
    return expected;
  }
  const auto bytes = static_cast<std::uint64_t>(std::ceil(bits / 8));
  expected.up_low = expected.up_high = times * remote * bytes;
  return expected;
}

CalibrationFacts calibration(const BenchRanks& on, std::size_t bytes) {
  CalibrationFacts facts;
  if (is_simulated()) return {.memory_bandwidth = 1};
  facts.memory_bandwidth = memory_bandwidth(on.communicator);
  if (on.communicator.is_null()) return facts;
  CommonClock clock(on.communicator);
  constexpr double seconds = 0.3;
  Timing timing = time_operation(on.communicator, clock, Operation::broadcast, bytes,
                                 {.seconds = seconds, .fewest = 30});
  facts.message_seconds = timing.typical().median;
  return facts;
}

int measure(const BenchCase& of, const Plan& plan, BenchRanks& on, long repetitions,
            BenchResult& result) {
  result.of = of;
  Placement place = on.place;
  place.clients = static_cast<int>(plan.clients);
  place.server_hosts = plan.server_hosts;
  on.ranks.host(place);
  PartitionedData data;
  int code = collectively(on.ranks, [&] {
    choose_arithmetic(Products::portable, plan.vector_bits);
    data = records_of_rank(of, plan, place);
  });
  for (long i = 0; i < repetitions && code == 0; ++i) {
    Assembly parts;
    code = collectively(on.ranks, [&] { parts = assemble(plan, place, data); });
    if (code != 0) break;
    repeat(plan, place, on, parts, result);
    if (i == 0 && of.kernel->is_private && place.rank == 0) add_claim(plan, parts, result);
  }
  if (code != 0) return code;
  for (double& seconds : result.phases) seconds /= static_cast<double>(repetitions);
  result.facts.rounds = of.is_warm_up_only ? 0 : of.rounds();
  result.facts.expected_updates = static_cast<std::uint64_t>(plan.clients) *
                                  static_cast<std::uint64_t>(warm_up_rounds + result.facts.rounds);
  result.facts.is_pattern_of_kernel = of.uplink() == of.kernel->pattern;
  result.dimension = plan.problem->dimension();
  result.config = plan.config;
  return 0;
}

}  // namespace trilemma
