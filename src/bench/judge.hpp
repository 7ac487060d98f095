#pragma once
// The judgement of a benchmark: a function of measured numbers.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "machine/processors.hpp"
#include "machine/time_record.hpp"

namespace trilemma {

/// Rules under which a benchmark is run (docs/reference/benchmark.md).
enum class BenchRules {
  base,   ///< unmodified source, no tuning variables of MPI, the exchange of the kernel
  tuned,  ///< these may change, and are recorded
  open    ///< the source may change as well
};
inline constexpr const char* rules_names[] = {"base", "tuned", "open"};

/// Reasons why a result is invalid.
enum class Invalid {
  checksum_missing,     ///< no checksum is shipped for the kernel, the class and the clients
  checksum_differs,     ///< the last model, or that after the warm-up, is not the one shipped
  repetitions_differ,   ///< repetitions lead to different models
  narrow_registers,     ///< 128 bits round differently
  precision,            ///< checksums are for float32
  updates_missing,      ///< fewer client updates than clients times rounds, or more
  claim_fails,          ///< the kernel is private and no claim holds
  noise_missing,        ///< the kernel is private and adds no noise
  claim_differs,        ///< the claim is not the one that follows from the configuration
  ledger_differs,       ///< bytes handed to MPI differ from their closed form
  phases_incomplete,    ///< phases of a rank take less than 99 % of the time
  placement_differs,    ///< ranks are not placed as requested
  processors_shared,    ///< ranks of a node may run on the same processors
  times_no_evidence,    ///< the machine was shared or disturbed, or the ranks are simulated
  restarted,            ///< the batch system started the job again
  too_few_rounds,       ///< fewer than 100 timed rounds
  too_few_repetitions,  ///< fewer than 5
  too_short,            ///< the timed rounds take less than the time of the class
  noisy,                ///< (max - min) / median of the repetitions above 5 %
  calibration_drifts,   ///< calibrations before and after differ by more than 10 %
  source_modified,      ///< base and tuned rules: the source had changes
  tuning_variables,     ///< base rules: variables of MPI are set
  pattern_changed,      ///< base rules: another exchange
  clients_changed,      ///< base rules: the clients of another number of ranks
};
/// Returns the name of a reason in outputs: "checksum_differs".
const char* name(Invalid reason);

/// Bytes handed to MPI in the timed rounds, and the range that follows from the settings.
struct LedgerFacts {
  std::uint64_t up = 0, down = 0;
  std::uint64_t up_low = 0, up_high = 0, down_expected = 0;
};

/// Measurements of one repetition.
struct RepetitionFacts {
  double seconds = 0;         ///< timed rounds, between two barriers
  double phase_share = 1;     ///< phases / seconds, of the rank with the smallest share
  std::string model;          ///< SHA-256 of the last model
  std::string warm_up_model;  ///< SHA-256 of the model after the warm-up
  std::uint64_t updates = 0;  ///< client updates that arrived, warm-up included
  LedgerFacts ledger;
  TimeRecord times;
};

/// Calibration: two times that depend on the machine alone.
struct CalibrationFacts {
  double memory_bandwidth = std::numeric_limits<double>::quiet_NaN();  ///< byte/s
  double message_seconds = std::numeric_limits<double>::quiet_NaN();   ///< NaN on one rank
};

/// Claim of a private kernel, and the claim that its resolved configuration leads to.
struct ClaimFacts {
  bool holds = false;
  double sigma = 0;
  std::vector<std::string> differences = {};  ///< fields in which both differ
};

/// A rank on its node.
struct PlaceFacts {
  std::string host;
  Processors usable;
};

/// Everything that the judgement depends on.
struct BenchFacts {
  BenchRules rules = BenchRules::base;
  double least_seconds = 0;  ///< of the class, all repetitions together
  long rounds = 0;           ///< timed rounds of a repetition
  std::uint64_t expected_updates = 0;
  std::optional<std::string> shipped;          ///< checksum of the last model
  std::optional<std::string> shipped_warm_up;  ///< checksum of the model after the warm-up
  unsigned vector_bits = 512;
  bool is_float32 = true;
  bool is_source_clean = true;
  bool is_pattern_of_kernel = true;
  bool has_clients_of_ranks = true;  ///< not those of another number of ranks
  bool is_placed_as_asked = true;
  bool is_restarted = false;        ///< the batch system started the job again
  std::vector<std::string> tuning;  ///< variables of MPI that are set
  std::vector<PlaceFacts> ranks;
  std::optional<ClaimFacts> claim;  ///< of private kernels
  std::vector<RepetitionFacts> repetitions;
  CalibrationFacts before, after;
};

/// A reason, with the measured value and its limit in words.
struct Finding {
  Invalid reason;
  std::string found;
};

/// Returns all reasons why the result is invalid, each once; empty = VALID.
std::vector<Finding> judge(const BenchFacts& facts);

/// Returns (max - min) / median of the times of the repetitions.
double spread_of(const std::vector<RepetitionFacts>& repetitions);
/// Returns the median of the times of the repetitions.
double median_seconds(const std::vector<RepetitionFacts>& repetitions);
/// Returns the largest relative difference between the two calibrations.
double drift_of(const CalibrationFacts& before, const CalibrationFacts& after);
/// Returns whether two ranks of one host may run on the same processor; unknown processors count as
/// shared.
bool share_processors(const std::vector<PlaceFacts>& ranks);
/// Returns those of `variables`, lines NAME=VALUE, that tune an MPI library.
std::vector<std::string> tuning_variables(const std::vector<std::string>& variables);
/// Returns whether `variables`, lines NAME=VALUE, say that the batch system started the job again.
bool is_restarted(const std::vector<std::string>& variables);

}  // namespace trilemma
