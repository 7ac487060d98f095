// The judgement of a benchmark (src/bench/judge.hpp), on made-up numbers: one fault at a time.

#include "bench/judge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bench/report.hpp"
#include "machine/facts.hpp"

namespace trilemma::judge_test {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

RepetitionFacts repetition(double seconds) {
  RepetitionFacts one;
  one.seconds = seconds;
  one.phase_share = 0.995;
  one.model = std::string(64, 'a');
  one.updates = 4200;
  one.ledger = {.up = 800, .down = 300, .up_low = 800, .up_high = 800, .down_expected = 300};
  one.times.status = TimeEvidence::evidence;
  return one;
}

// Two bound ranks on each of two nodes; five repetitions of 13 s within 2 %.
BenchFacts valid_facts() {
  BenchFacts facts;
  facts.least_seconds = 60;
  facts.rounds = 100;
  facts.expected_updates = 4200;
  facts.shipped = std::string(64, 'a');
  facts.ranks = {{"n1", processors_in("0")},
                 {"n1", processors_in("1")},
                 {"n2", processors_in("0")},
                 {"n2", processors_in("1")}};
  facts.claim = {.holds = true, .sigma = 0.5};
  for (const double seconds : {13.0, 13.1, 13.2, 13.0, 13.1})
    facts.repetitions.push_back(repetition(seconds));
  facts.before = {.memory_bandwidth = 1e10, .message_seconds = 1e-3};
  facts.after = {.memory_bandwidth = 1.05e10, .message_seconds = 0.97e-3};
  return facts;
}

std::vector<Invalid> reasons(const BenchFacts& facts) {
  std::vector<Invalid> found;
  for (const Finding& one : judge(facts)) {
    EXPECT_FALSE(one.found.empty()) << name(one.reason);
    found.push_back(one.reason);
  }
  return found;
}

TEST(Judge, AcceptsFactsWithoutAFault) { EXPECT_TRUE(judge(valid_facts()).empty()); }

struct Fault {
  const char* what;
  Invalid reason;
  std::function<void(BenchFacts&)> make;
};

const std::vector<Fault>& faults() {
  using F = BenchFacts;
  static const std::vector<Fault> all = {
      {"no checksum shipped", Invalid::checksum_missing, [](F& f) { f.shipped.reset(); }},
      {"another model after the warm-up", Invalid::checksum_differs,
       [](F& f) { f.shipped_warm_up = std::string(64, 'b'); }},
      {"a warm-up that differs", Invalid::repetitions_differ,
       [](F& f) { f.repetitions[2].warm_up_model = std::string(64, 'b'); }},
      {"a wrong model checksum", Invalid::checksum_differs, [](F& f) { f.shipped->back() = 'b'; }},
      {"a wrong byte in a message", Invalid::checksum_differs,
       [](F& f) {
         for (auto& one : f.repetitions) one.model.front() = 'b';
       }},
      {"a wrong byte in a message of one repetition", Invalid::repetitions_differ,
       [](F& f) { f.repetitions[3].model.front() = 'b'; }},
      {"narrow registers", Invalid::narrow_registers, [](F& f) { f.vector_bits = 128; }},
      {"float64", Invalid::precision, [](F& f) { f.is_float32 = false; }},
      {"a missing client", Invalid::updates_missing, [](F& f) { f.repetitions[1].updates -= 1; }},
      {"a client that reports twice", Invalid::updates_missing,
       [](F& f) { f.repetitions[1].updates += 1; }},
      {"a claim that does not hold", Invalid::claim_fails, [](F& f) { f.claim->holds = false; }},
      {"missing noise", Invalid::noise_missing, [](F& f) { f.claim->sigma = 0; }},
      {"noise of unknown size", Invalid::noise_missing, [](F& f) { f.claim->sigma = none; }},
      {"a wrong epsilon", Invalid::claim_differs, [](F& f) { f.claim->differences = {"epsilon"}; }},
      {"a wrong bit in the ledger, up", Invalid::ledger_differs,
       [](F& f) { f.repetitions[0].ledger.up += 1; }},
      {"a wrong bit in the ledger, too little", Invalid::ledger_differs,
       [](F& f) { f.repetitions[0].ledger.up -= 1; }},
      {"a wrong bit in the ledger, down", Invalid::ledger_differs,
       [](F& f) { f.repetitions[4].ledger.down -= 1; }},
      {"phases that do not add up to the time", Invalid::phases_incomplete,
       [](F& f) { f.repetitions[2].phase_share = 0.98; }},
      {"phases of unknown length", Invalid::phases_incomplete,
       [](F& f) { f.repetitions[2].phase_share = none; }},
      {"a moved rank", Invalid::placement_differs, [](F& f) { f.is_placed_as_asked = false; }},
      {"overlapping affinities", Invalid::processors_shared,
       [](F& f) { f.ranks[1].usable = processors_in("0-1"); }},
      {"a rank moved to the processor of another", Invalid::processors_shared,
       [](F& f) { f.ranks[2].host = "n1"; }},
      {"an unknown affinity", Invalid::processors_shared, [](F& f) { f.ranks[3].usable = {}; }},
      {"a disturbed node", Invalid::times_no_evidence,
       [](F& f) { f.repetitions[0].times.status = TimeEvidence::load_from_others; }},
      {"simulated ranks", Invalid::times_no_evidence,
       [](F& f) { f.repetitions[4].times.status = TimeEvidence::simulated; }},
      {"a job started again", Invalid::restarted, [](F& f) { f.is_restarted = true; }},
      {"too few rounds", Invalid::too_few_rounds, [](F& f) { f.rounds = 99; }},
      {"too few repetitions", Invalid::too_few_repetitions,
       [](F& f) {
         f.repetitions.pop_back();
         for (auto& one : f.repetitions) one.seconds *= 2;
       }},
      {"too short timing", Invalid::too_short, [](F& f) { f.least_seconds = 66; }},
      {"noisy repetitions", Invalid::noisy, [](F& f) { f.repetitions[0].seconds = 14; }},
      {"repetitions just too noisy", Invalid::noisy, [](F& f) { f.repetitions[0].seconds = 12.3; }},
      {"a calibration of the memory that differs", Invalid::calibration_drifts,
       [](F& f) { f.after.memory_bandwidth = 0.89e10; }},
      {"a calibration of messages that differs", Invalid::calibration_drifts,
       [](F& f) { f.after.message_seconds = 1.2e-3; }},
      {"no calibration of messages afterwards", Invalid::calibration_drifts,
       [](F& f) { f.after.message_seconds = none; }},
      {"no calibration before", Invalid::calibration_drifts,
       [](F& f) { f.before.memory_bandwidth = none; }},
      {"a modified source", Invalid::source_modified, [](F& f) { f.is_source_clean = false; }},
      {"an MPI tuning variable", Invalid::tuning_variables,
       [](F& f) { f.tuning = {"UCX_TLS=rc"}; }},
      {"another exchange", Invalid::pattern_changed, [](F& f) { f.is_pattern_of_kernel = false; }},
      {"other clients", Invalid::clients_changed, [](F& f) { f.has_clients_of_ranks = false; }},
  };
  return all;
}

TEST(Judge, NamesTheReasonOfEveryFault) {
  for (std::size_t i = 0; i < faults().size(); ++i) {
    BenchFacts facts = valid_facts();
    faults()[i].make(facts);
    EXPECT_EQ(reasons(facts), std::vector{faults()[i].reason}) << faults()[i].what;
  }
}

TEST(Judge, EveryFaultIsPrintedAndDecidesTheExitCode) {
  BenchResult result;
  result.of.kernel = kernels().data();
  result.facts = valid_facts();
  EXPECT_EQ(exit_code_of({result}), 0);
  EXPECT_TRUE(lines_of(result, {}).ends_with("\nVALID\n"));
  for (const Fault& fault : faults()) {
    result.facts = valid_facts();
    fault.make(result.facts);
    result.findings = judge(result.facts);
    const std::string lines = lines_of(result, {});
    EXPECT_TRUE(lines.ends_with("\nINVALID\n")) << fault.what;
    EXPECT_NE(lines.find(fmt::format("\nreason {}: ", name(fault.reason))), std::string::npos)
        << fault.what;
    EXPECT_EQ(exit_code_of({result}), 4) << fault.what;
  }
}

TEST(Judge, EveryReasonHasAFault) {
  for (int i = 0; i <= static_cast<int>(Invalid::clients_changed); ++i) {
    const auto reason = static_cast<Invalid>(i);
    EXPECT_TRUE(std::ranges::any_of(faults(), [&](const Fault& one) {
      return one.reason == reason;
    })) << name(reason);
  }
}

TEST(Judge, NamesAllFaultsOfAResult) {
  BenchFacts facts = valid_facts();
  facts.shipped.reset();
  facts.rounds = 3;
  EXPECT_EQ(reasons(facts), (std::vector{Invalid::checksum_missing, Invalid::too_few_rounds}));
  EXPECT_EQ(reasons({}), std::vector{Invalid::too_few_repetitions});
}

TEST(Judge, RulesAllowWhatTheyName) {
  BenchFacts facts = valid_facts();
  facts.tuning = {"UCX_TLS=rc"};
  facts.is_pattern_of_kernel = false;
  facts.rules = BenchRules::tuned;
  EXPECT_TRUE(reasons(facts).empty());
  facts.is_source_clean = false;
  EXPECT_EQ(reasons(facts), std::vector{Invalid::source_modified});
  facts.rules = BenchRules::open;
  EXPECT_TRUE(reasons(facts).empty());
}

TEST(Judge, OneRankHasNoMessagesToCalibrate) {
  BenchFacts facts = valid_facts();
  facts.before.message_seconds = facts.after.message_seconds = none;
  EXPECT_TRUE(reasons(facts).empty());
  EXPECT_NEAR(drift_of(facts.before, facts.after), 0.05, 1e-12);
}

TEST(Judge, MedianAndSpread) {
  const auto times = valid_facts().repetitions;
  EXPECT_EQ(median_seconds(times), 13.1);
  EXPECT_NEAR(spread_of(times), 0.2 / 13.1, 1e-12);
  EXPECT_EQ(median_seconds({repetition(1), repetition(4)}), 2.5);
}

TEST(Judge, TuningVariablesAreThoseOfMpi) {
  EXPECT_EQ(tuning_variables({"FI_PROVIDER=tcp", "OMPI_MCA_btl=tcp", "OMPI_MCA_shmem_hint=x",
                              "OMP_NUM_THREADS=1", "SLURM_JOB_ID=3"}),
            (std::vector<std::string>{"FI_PROVIDER=tcp", "OMPI_MCA_btl=tcp"}));
}

}  // namespace trilemma::judge_test
