#include "machine/time_record.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma {
namespace {

// Limits of the judgement; docs/reference/run-file.md states them.
constexpr std::int64_t fewest_rounds = 5;
constexpr double cores_of_system = 0.1;  // cores that the system itself may use; as in studies
constexpr double most_waiting = 0.02;
constexpr double most_steal = 0.02;

// The names of the judgements, in their order.
constexpr const char* names[] = {"unknown",          "evidence",   "simulated",
                                 "no_times",         "few_rounds", "cores_shared",
                                 "load_from_others", "steal",      "load_unknown"};
static_assert(std::size(names) == 1 + static_cast<std::size_t>(TimeEvidence::load_unknown));

Field<TimeRecord> status_field() {
  auto field = computed(
      "time_evidence", "1",
      "judgement of the times ([run-file.md](run-file.md#are-the-times-evidence)): `evidence`, "
      "`simulated`, `no_times`, `few_rounds`, `cores_shared`, `load_from_others`, `steal`, "
      "`load_unknown`, or `unknown` (an unfinished run)",
      Compared::nowhere, +[](const TimeRecord& r) { return std::string(name(r.status)); });
  field.set = [](TimeRecord& r, FieldValue value) {
    r.status = time_evidence_named(std::get<std::string>(value)).value_or(TimeEvidence::unknown);
  };
  return field;
}

template <class T>
Field<TimeRecord> measured(const char* key, T TimeRecord::*member, const char* units,
                           const char* help) {
  return field(key, member, units, help, Compared::nowhere);
}

const Fields<TimeRecord> time_table = {
    status_field(),
    measured("cores_per_rank", &TimeRecord::cores_per_rank, "core",
             "cores that the ranks of a node may use, by rank, on the node with the fewest")
        .at_least(0),
    measured("node_cores", &TimeRecord::node_cores, "core",
             "cores that the ranks may use on the node that `load_from_others` left the least")
        .at_least(0),
    measured("node_ranks", &TimeRecord::node_ranks, "rank", "ranks on this node; 0 = not known")
        .at_least(0),
    measured("load_from_others", &TimeRecord::load_from_others, "core",
             "cores of this node that processes of others used during the rounds, in the mean; NaN "
             "= not known (the rounds took less than 0.2 s, or the system does not count it)")
        .at_least(0),
    measured("waiting_share", &TimeRecord::waiting_share, "1",
             "share of the time in which a rank was ready to compute and had no core, of the rank "
             "that waited longest; NaN = not known")
        .between(0, 1),
    measured("steal_share", &TimeRecord::steal_share, "1",
             "share of the processor time that the hypervisor took, on the node where it took "
             "most; NaN = not known")
        .between(0, 1),
    measured("timed_rounds", &TimeRecord::timed_rounds, "round",
             "rounds that these numbers are of, those of all starts")
        .at_least(0),
};

// NaN, "not known", is worse than any number.
double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? TimeRecord::none : std::max(a, b);
}

bool is_crowded_by_others(const TimeRecord& r) {
  return r.load_from_others + static_cast<double>(r.node_ranks) > r.node_cores + cores_of_system;
}

std::string in_rounds(std::int64_t rounds) {
  return fmt::format("{} round{}", rounds, rounds == 1 ? "" : "s");
}

std::string reason(const TimeRecord& r) {
  constexpr double per_cent = 100;
  switch (r.status) {
    case TimeEvidence::simulated:
      return "no time was measured (simulated ranks)";
    case TimeEvidence::no_times:
      return "the file records no times";
    case TimeEvidence::few_rounds:
      return fmt::format("{}, fewer than {}", in_rounds(r.timed_rounds), fewest_rounds);
    case TimeEvidence::cores_shared:
      return fmt::format("ranks share cores ({:.4g} a rank)", r.cores_per_rank);
    case TimeEvidence::load_from_others:
      if (is_crowded_by_others(r))
        return fmt::format("others used {:.1f} of {:.4g} cores", r.load_from_others, r.node_cores);
      return fmt::format("ranks waited for a core for {:.1f} % of the time",
                         per_cent * r.waiting_share);
    case TimeEvidence::steal:
      return fmt::format("the hypervisor took {:.1f} % of the processor time",
                         per_cent * r.steal_share);
    case TimeEvidence::load_unknown:
      return "the load from others is not known";
    case TimeEvidence::unknown:
    case TimeEvidence::evidence:
      break;
  }
  return "the file does not record the load of the machine";
}

}  // namespace

const char* name(TimeEvidence status) { return names[static_cast<std::size_t>(status)]; }

std::optional<TimeEvidence> time_evidence_named(std::string_view wanted) {
  const auto* const found = std::ranges::find(names, wanted);
  if (found == std::end(names)) return {};
  return static_cast<TimeEvidence>(found - std::begin(names));
}

const Fields<TimeRecord>& time_fields() { return time_table; }

TimeEvidence judged(const TimeRecord& r) {
  if (r.status == TimeEvidence::simulated || r.status == TimeEvidence::no_times) return r.status;
  if (r.timed_rounds < fewest_rounds) return TimeEvidence::few_rounds;
  if (std::isnan(r.cores_per_rank)) return TimeEvidence::load_unknown;
  if (r.cores_per_rank < 1) return TimeEvidence::cores_shared;
  if (is_crowded_by_others(r) || r.waiting_share > most_waiting)
    return TimeEvidence::load_from_others;
  if (r.steal_share > most_steal) return TimeEvidence::steal;
  // Of short runs only the second is known, which is finer.
  if (std::isnan(r.load_from_others) && std::isnan(r.waiting_share))
    return TimeEvidence::load_unknown;
  return TimeEvidence::evidence;
}

TimeRecord with_start(const TimeRecord& before, const TimeRecord& start) {
  if (before.status == TimeEvidence::unknown) return before;
  const auto left = [](const TimeRecord& r) {
    return r.node_cores - static_cast<double>(r.node_ranks) - r.load_from_others;
  };
  // The node that had less left; one without a known load is worse.
  const bool is_older = std::isnan(left(before)) || left(before) < left(start);
  TimeRecord all = is_older ? before : start;
  all.cores_per_rank = -larger(-before.cores_per_rank, -start.cores_per_rank);
  all.waiting_share = larger(before.waiting_share, start.waiting_share);
  all.steal_share = larger(before.steal_share, start.steal_share);
  all.timed_rounds = before.timed_rounds + start.timed_rounds;
  all.status = start.status;
  all.status = judged(all);
  return all;
}

std::string in_words(const TimeRecord& r) {
  if (r.status != TimeEvidence::evidence) return "unreliable times: " + reason(r);
  return fmt::format("evidence of time: {:.4g} cores a rank, {}", r.cores_per_rank,
                     in_rounds(r.timed_rounds));
}

}  // namespace trilemma
