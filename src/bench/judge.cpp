#include "bench/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace trilemma {
namespace {

// Limits, which docs/reference/benchmark.md states.
constexpr double least_phase_share = 0.99;
constexpr double most_spread = 0.05;
constexpr double most_drift = 0.10;
constexpr long fewest_timed_rounds = 100;
constexpr std::size_t fewest_repetitions = 5;
constexpr unsigned fewest_bits = 256;
constexpr double per_cent = 100;

// Prefixes of variables that tune MPI libraries. Launchers set others with OMPI_MCA_ themselves.
constexpr std::string_view tuning_prefixes[] = {
    "OMPI_MCA_btl", "OMPI_MCA_coll", "OMPI_MCA_pml", "OMPI_MCA_mtl", "OMPI_MCA_osc",
    "UCX_",         "FI_",           "MPIR_CVAR_",   "MPICH_",       "I_MPI_"};

using Findings = std::vector<Finding>;

void check_models(const BenchFacts& f, Findings& found) {
  const RepetitionFacts& first = f.repetitions.front();
  const bool agree = std::ranges::all_of(f.repetitions, [&](const RepetitionFacts& one) {
    return one.model == first.model && one.warm_up_model == first.warm_up_model;
  });
  if (!agree)
    found.push_back({Invalid::repetitions_differ, "repetitions lead to different models"});
  if (f.vector_bits < fewest_bits)
    found.push_back({Invalid::narrow_registers, fmt::format("registers of {} bits, fewer than {}",
                                                            f.vector_bits, fewest_bits)});
  if (!f.is_float32) found.push_back({Invalid::precision, "the program computes in float64"});
  if (!f.shipped && !f.shipped_warm_up)
    found.push_back({Invalid::checksum_missing, "no checksum is shipped for this case"});
  const auto differs = [](const std::string& model, const std::optional<std::string>& shipped) {
    return shipped && *shipped != model;
  };
  const bool differs_early = differs(first.warm_up_model, f.shipped_warm_up);
  if (differs_early || differs(first.model, f.shipped)) {
    const std::string& obtained = differs_early ? first.warm_up_model : first.model;
    const std::string& shipped = differs_early ? *f.shipped_warm_up : *f.shipped;
    found.push_back({Invalid::checksum_differs,
                     fmt::format("model{} {:.12}, shipped {:.12}",
                                 differs_early ? " after the warm-up" : "", obtained, shipped)});
  }
  for (const auto& one : f.repetitions)
    if (one.updates != f.expected_updates) {
      found.push_back({Invalid::updates_missing,
                       fmt::format("{} client updates, not {}", one.updates, f.expected_updates)});
      break;
    }
}

void check_claim(const BenchFacts& f, Findings& found) {
  if (!f.claim) return;
  if (!f.claim->holds) found.push_back({Invalid::claim_fails, "no privacy claim holds"});
  if (!(f.claim->sigma > 0)) found.push_back({Invalid::noise_missing, "no noise is added"});
  if (!f.claim->differences.empty())
    found.push_back({Invalid::claim_differs,
                     fmt::format("{} of the claim: not what follows from the configuration",
                                 join(f.claim->differences))});
}

void check_ledger(const BenchFacts& f, Findings& found) {
  for (const RepetitionFacts& one : f.repetitions) {
    const LedgerFacts& ledger = one.ledger;
    if (ledger.up >= ledger.up_low && ledger.up <= ledger.up_high &&
        ledger.down == ledger.down_expected)
      continue;
    found.push_back(
        {Invalid::ledger_differs,
         fmt::format("{} B up (expected {} to {}), {} B down (expected {})", ledger.up,
                     ledger.up_low, ledger.up_high, ledger.down, ledger.down_expected)});
    return;
  }
}

void check_placement(const BenchFacts& f, Findings& found) {
  if (!f.is_placed_as_asked)
    found.push_back({Invalid::placement_differs, "the ranks are not placed as requested"});
  if (share_processors(f.ranks))
    found.push_back(
        {Invalid::processors_shared, "ranks may run on the same processors; bind them"});
}

void check_times(const BenchFacts& f, Findings& found) {
  double least_share = 1;
  double all = 0;
  for (const auto& one : f.repetitions) {
    all += one.seconds;
    // NaN, an unknown share, stays.
    if (!std::isnan(least_share) && !(one.phase_share >= least_share))
      least_share = one.phase_share;
  }
  if (!(least_share >= least_phase_share))
    found.push_back(
        {Invalid::phases_incomplete, fmt::format("phases are {:.3f} of the time", least_share)});
  for (const auto& one : f.repetitions)
    if (one.times.status != TimeEvidence::evidence) {
      found.push_back({Invalid::times_no_evidence, in_words(one.times)});
      break;
    }
  if (f.is_restarted)
    found.push_back({Invalid::restarted, "the batch system started the job again"});
  if (f.rounds < fewest_timed_rounds)
    found.push_back({Invalid::too_few_rounds,
                     fmt::format("{} timed rounds, fewer than {}", f.rounds, fewest_timed_rounds)});
  if (f.repetitions.size() < fewest_repetitions)
    found.push_back({Invalid::too_few_repetitions,
                     fmt::format("{}, fewer than {}", counted(f.repetitions.size(), "repetition"),
                                 fewest_repetitions)});
  if (!(all >= f.least_seconds))
    found.push_back({Invalid::too_short, fmt::format("{:.3g} s of timed rounds, less than {:.3g} s",
                                                     all, f.least_seconds)});
  if (const double spread = spread_of(f.repetitions); !(spread <= most_spread))
    found.push_back(
        {Invalid::noisy, fmt::format("repetitions differ by {:.1f} %, more than {:.0f} %",
                                     per_cent * spread, per_cent * most_spread)});
  if (const double drift = drift_of(f.before, f.after); !(drift <= most_drift))
    found.push_back(
        {Invalid::calibration_drifts,
         fmt::format("calibrations before and after differ by {:.1f} %, more than {:.0f} %",
                     per_cent * drift, per_cent * most_drift)});
}

void check_rules(const BenchFacts& f, Findings& found) {
  if (f.rules != BenchRules::open && !f.is_source_clean)
    found.push_back({Invalid::source_modified, "the source had changes that are in no commit"});
  if (f.rules != BenchRules::base) return;
  if (!f.has_clients_of_ranks)
    found.push_back({Invalid::clients_changed, "the clients are those of another number of ranks"});
  if (!f.tuning.empty()) found.push_back({Invalid::tuning_variables, join(f.tuning)});
  if (!f.is_pattern_of_kernel)
    found.push_back({Invalid::pattern_changed, "not the exchange of the kernel"});
}

}  // namespace

const char* name(Invalid reason) {
  switch (reason) {
    case Invalid::checksum_missing:
      return "checksum_missing";
    case Invalid::checksum_differs:
      return "checksum_differs";
    case Invalid::repetitions_differ:
      return "repetitions_differ";
    case Invalid::narrow_registers:
      return "narrow_registers";
    case Invalid::precision:
      return "precision";
    case Invalid::updates_missing:
      return "updates_missing";
    case Invalid::claim_fails:
      return "claim_fails";
    case Invalid::noise_missing:
      return "noise_missing";
    case Invalid::claim_differs:
      return "claim_differs";
    case Invalid::ledger_differs:
      return "ledger_differs";
    case Invalid::phases_incomplete:
      return "phases_incomplete";
    case Invalid::placement_differs:
      return "placement_differs";
    case Invalid::processors_shared:
      return "processors_shared";
    case Invalid::times_no_evidence:
      return "times_no_evidence";
    case Invalid::restarted:
      return "restarted";
    case Invalid::too_few_rounds:
      return "too_few_rounds";
    case Invalid::too_few_repetitions:
      return "too_few_repetitions";
    case Invalid::too_short:
      return "too_short";
    case Invalid::noisy:
      return "noisy";
    case Invalid::calibration_drifts:
      return "calibration_drifts";
    case Invalid::source_modified:
      return "source_modified";
    case Invalid::tuning_variables:
      return "tuning_variables";
    case Invalid::pattern_changed:
      return "pattern_changed";
    case Invalid::clients_changed:
      return "clients_changed";
  }
  return "";
}

std::vector<Finding> judge(const BenchFacts& facts) {
  Findings found;
  if (facts.repetitions.empty()) return {{Invalid::too_few_repetitions, "no repetition"}};
  check_models(facts, found);
  check_claim(facts, found);
  check_ledger(facts, found);
  check_placement(facts, found);
  check_times(facts, found);
  check_rules(facts, found);
  return found;
}

double median_seconds(const std::vector<RepetitionFacts>& repetitions) {
  std::vector<double> seconds;
  for (const auto& one : repetitions) seconds.push_back(one.seconds);
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
}

double spread_of(const std::vector<RepetitionFacts>& repetitions) {
  const auto [least, most] =
      std::ranges::minmax_element(repetitions, {}, &RepetitionFacts::seconds);
  return (most->seconds - least->seconds) / median_seconds(repetitions);
}

double drift_of(const CalibrationFacts& before, const CalibrationFacts& after) {
  const double memory = std::abs(after.memory_bandwidth / before.memory_bandwidth - 1);
  if (std::isnan(before.message_seconds) && std::isnan(after.message_seconds)) return memory;
  const double messages = std::abs(after.message_seconds / before.message_seconds - 1);
  return std::isnan(memory) || std::isnan(messages) ? std::nan("") : std::max(memory, messages);
}

bool share_processors(const std::vector<PlaceFacts>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].usable.none()) return true;
    for (std::size_t j = 0; j < i; ++j)
      if (ranks[i].host == ranks[j].host && (ranks[i].usable & ranks[j].usable).any()) return true;
  }
  return false;
}

bool is_restarted(const std::vector<std::string>& variables) {
  constexpr std::string_view count = "SLURM_RESTART_COUNT=";
  return std::ranges::any_of(variables, [&](const std::string& line) {
    return line.starts_with(count) && line.substr(count.size()) != "0";
  });
}

std::vector<std::string> tuning_variables(const std::vector<std::string>& variables) {
  std::vector<std::string> found;
  for (const auto& line : variables)
    if (std::ranges::any_of(tuning_prefixes,
                            [&](std::string_view prefix) { return line.starts_with(prefix); }))
      found.push_back(line);
  return found;
}

}  // namespace trilemma
