#include "exchange/bit_metrics.hpp"

#include "base/types.hpp"

namespace trilemma {
namespace {

constexpr Provenances of_messages{Provenance::message_sizes, Provenance::participant_numbers};
// The sequence of models is released, and so are the sizes of its messages; the number of clients
// that receive them is not.
constexpr Provenances of_receivers = Provenance::participant_numbers;

MetricLog::Id declare(MetricLog& metric_log, const char* name, const char* units,
                      const char* description, Provenances provenance, Metric::Kind kind,
                      const char* never_above = "") {
  return metric_log.declare({.name = name,
                             .units = units,
                             .description = description,
                             .provenance = provenance,
                             .kind = kind,
                             .better = Metric::Better::lower,
                             .never_above = never_above});
}

}  // namespace

BitMetrics::BitMetrics(MetricLog& metric_log, Metric::Kind kind)
    : up{declare(metric_log, "bits_up_model", "bit",
                 "clients to server, the papers' own accounting", of_messages, kind),
         declare(metric_log, "bits_up_payload", "bit", "clients to server, exact encoding",
                 of_messages, kind, "bits_edges_payload"),
         declare(metric_log, "messages", "message", "updates that clients have sent",
                 Provenance::participant_numbers, kind),
         metric_log.declare({.name = "seconds_under_way",
                             .units = "s",
                             .description =
                                 "of the slowest rank in the round, from the first message "
                                 "that it hands to MPI while it still works until its last "
                                 "one has left; NaN = no message leaves so early",
                             .provenance = {Provenance::environment, Provenance::participants},
                             .kind = Metric::Kind::most,
                             .depends_on_ranks = true})},
      down{declare(metric_log, "bits_down_model", "bit",
                   "server to clients, the papers' own accounting", of_receivers, kind),
           declare(metric_log, "bits_down_payload", "bit", "server to clients, exact encoding",
                   of_receivers, kind)} {}

void add_models(MetricLog& metric_log, const DownlinkMetrics& metrics, std::uint64_t receivers,
                std::size_t values, double model_bits_per_value) {
  metric_log.add(
      metrics.model_bits,
      receivers * static_cast<std::uint64_t>(model_bits_per_value * static_cast<double>(values)));
  metric_log.add(metrics.payload_bits, receivers * values * sizeof(real) * 8);
}

}  // namespace trilemma
