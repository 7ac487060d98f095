#pragma once
// Whether the times of a run are evidence: what was measured of the machine during the rounds, and
// the judgement (docs/reference/run-file.md).

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/field.hpp"

namespace trilemma {

/// Judgement of the times of a run; name() has them in this order.
enum class TimeEvidence {
  unknown,           ///< not recorded
  evidence,          ///< may be compared with those of other runs
  simulated,         ///< of simulated ranks: nothing was measured
  no_times,          ///< not recorded (timing.enabled = false, privacy.strict)
  few_rounds,        ///< of too few rounds
  cores_shared,      ///< ranks share cores
  load_from_others,  ///< other processes used the cores
  steal,             ///< the hypervisor used the cores
  load_unknown,      ///< the system does not report what others used
};
/// Returns the value of the attribute: "evidence", "cores_shared", ...
const char* name(TimeEvidence status);
/// Returns the judgement called `name`, or nullopt if there is none.
std::optional<TimeEvidence> time_evidence_named(std::string_view name);

/// The attributes of /environment on evidence of time. The numbers of a node are those of the node
/// with the least to spare; NaN = not known.
struct TimeRecord {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  TimeEvidence status = TimeEvidence::unknown;
  double cores_per_rank = none;  ///< cores that a rank may use, on the node with the fewest
  double node_cores = none;
  std::int64_t node_ranks = 0;
  double load_from_others = none;  ///< cores that other processes used there
  double waiting_share = none;     ///< of the time, without a core, of the rank that waited longest
  double steal_share = none;       ///< of the processor time, taken by the hypervisor
  std::int64_t timed_rounds = 0;
};
/// Returns the table of these attributes.
const Fields<TimeRecord>& time_fields();

/// Returns the judgement of the measured numbers of `record`.
TimeEvidence judged(const TimeRecord& record);
/// Returns the record of a run from those of the starts before and of the last one: the worse
/// number of the two, all rounds, and the judgement of these.
TimeRecord with_start(const TimeRecord& before, const TimeRecord& start);
/// Returns the judgement and its reason as a sentence: "unreliable times: others used 1.7 of 2
/// cores".
std::string in_words(const TimeRecord& record);

}  // namespace trilemma
