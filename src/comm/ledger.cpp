#include "comm/ledger.hpp"

namespace trilemma {
namespace {

// A message that stays on its rank, or on its node, is not counted, so the sums over the other
// messages reveal where the participants are hosted. If sums are exchanged instead of messages, the
// number of additional exchanges depends on their values.
constexpr Provenances by_place{Provenance::message_sizes, Provenance::message_values,
                               Provenance::participant_numbers, Provenance::participants};

MetricLog::Id declare(MetricLog& metric_log, const char* name, const char* description,
                      Provenances provenance, const char* never_above = "") {
  return metric_log.declare({.name = name,
                             .units = "bit",
                             .description = description,
                             .provenance = provenance,
                             .kind = Metric::Kind::count,
                             .depends_on_ranks = true,
                             .better = Metric::Better::lower,
                             .never_above = never_above});
}

}  // namespace

TrafficMetrics::TrafficMetrics(MetricLog& metric_log)
    : metric_log_(metric_log),
      up_(declare(metric_log, "bits_up", "update messages that left a rank through MPI", by_place)),
      up_between_nodes_(declare(metric_log, "bits_up_between_nodes",
                                "those of bits_up that a rank handed to one on another node",
                                by_place, "bits_up")),
      down_(declare(metric_log, "bits_down",
                    "models delivered through MPI, one copy for each other rank, whichever ranks "
                    "forward them",
                    Provenance::released)),
      evaluation_(declare(metric_log, "bits_evaluation", "traffic of evaluation through MPI",
                          Provenance::released)),
      control_(declare(metric_log, "bits_control",
                       "recording, checkpoints and agreement through MPI; depends on time",
                       {Provenance::environment, Provenance::participant_numbers})) {}

void TrafficMetrics::observe(const Ledger& ledger) {
  metric_log_.set_count(up_, 8 * ledger.of(Use::up));
  metric_log_.set_count(up_between_nodes_, 8 * ledger.up_between_nodes());
  metric_log_.set_count(down_, 8 * ledger.of(Use::down));
  metric_log_.set_count(evaluation_, 8 * ledger.of(Use::evaluation));
  metric_log_.set_count(control_, 8 * ledger.of(Use::control));
}

}  // namespace trilemma
