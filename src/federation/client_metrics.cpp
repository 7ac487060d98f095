#include "federation/client_metrics.hpp"

namespace trilemma {

ClientMetrics::ClientMetrics(MetricLog& metric_log)
    : records(metric_log.declare({.name = "batch_records",
                                  .units = "record",
                                  .description = "records drawn by all clients",
                                  .provenance = Provenance::drawn_records,
                                  .kind = Metric::Kind::sum})),
      clipped(metric_log.declare({.name = "clipped",
                                  .units = "message",
                                  .description = "updates whose norm exceeded their bound",
                                  .provenance = Provenance::updates,
                                  .kind = Metric::Kind::sum})),
      not_finite(metric_log.declare(
          {.name = "not_finite",
           .units = "vector",
           .description =
               "record gradients and updates without a finite norm, which the bound replaced by 0",
           .provenance = Provenance::updates,
           .kind = Metric::Kind::sum})),
      record_norm(
          metric_log.declare({.name = "record_norm_most",
                              .units = "1",
                              .description = "largest norm of a record's gradient after its "
                                             "bound; NaN = not measured",
                              .provenance = Provenance::updates,
                              .kind = Metric::Kind::most})),
      least_norm(
          metric_log.declare({.name = "update_norm_least",
                              .units = "1",
                              .description = "smallest norm of a participant's update before "
                                             "its bound; NaN = not measured",
                              .provenance = Provenance::updates,
                              .kind = Metric::Kind::least})),
      most_norm(
          metric_log.declare({.name = "update_norm_most",
                              .units = "1",
                              .description = "largest norm of a participant's update before its "
                                             "bound; NaN = not measured",
                              .provenance = Provenance::updates,
                              .kind = Metric::Kind::most})),
      drift(metric_log.declare(
          {.name = "drift",
           .units = "1",
           .description = "mean over the participants of the distance that their local steps have "
                          "led away from the model of the round; NaN = there are no local steps",
           .provenance = Provenance::updates,
           .kind = Metric::Kind::mean})) {}

}  // namespace trilemma
