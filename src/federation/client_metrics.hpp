#pragma once

#include "base/metric_log.hpp"

namespace trilemma {

/// The metrics that the clients record.
struct ClientMetrics {
  MetricLog& metric_log;
  MetricLog::Id records = metric_log.declare({.name = "batch_records",
                                              .units = "record",
                                              .description = "records drawn by all clients",
                                              .provenance = Provenance::drawn_records,
                                              .kind = Metric::Kind::sum});
  MetricLog::Id clipped =
      metric_log.declare({.name = "clipped",
                          .units = "vector",
                          .description = "record gradients, or updates where these are "
                                         "bounded, whose norm exceeded the bound",
                          .provenance = Provenance::updates,
                          .kind = Metric::Kind::sum});
  MetricLog::Id clipped_share =
      metric_log.declare({.name = "clipped_share",
                          .units = "1",
                          .description = "share of the record gradients or updates in this "
                                         "row that `clipped` counts; NaN = no bound that clips",
                          .provenance = Provenance::updates,
                          .kind = Metric::Kind::mean,
                          .most = 1,
                          .is_recent = true});
  MetricLog::Id norm_ratio = metric_log.declare(
      {.name = "norm_ratio_median",
       .units = "1",
       .description = "median over the bounded updates, or over every eighth bounded gradient of a "
                      "batch, of their norm before the bound, divided by the bound: within 1/4 "
                      "from 1/16 to 128, which stand for all smaller and larger values; NaN = "
                      "nothing was bounded",
       .provenance = Provenance::updates,
       .kind = Metric::Kind::median,
       .least = RatioHistogram::least,
       .most = RatioHistogram::most,
       .is_recent = true});
  MetricLog::Id not_finite = metric_log.declare(
      {.name = "not_finite",
       .units = "vector",
       .description =
           "record gradients and updates without a finite norm, which the bound replaced by 0",
       .provenance = Provenance::updates,
       .kind = Metric::Kind::sum});
  MetricLog::Id record_norm =
      metric_log.declare({.name = "record_norm_most",
                          .units = "1",
                          .description = "largest norm of a record's gradient after its "
                                         "bound; NaN = not measured",
                          .provenance = Provenance::updates,
                          .kind = Metric::Kind::most});
  MetricLog::Id least_norm =
      metric_log.declare({.name = "update_norm_least",
                          .units = "1",
                          .description = "smallest norm of a participant's update before "
                                         "its bound; NaN = not measured",
                          .provenance = Provenance::updates,
                          .kind = Metric::Kind::least,
                          .never_above = "update_norm_most"});
  MetricLog::Id most_norm =
      metric_log.declare({.name = "update_norm_most",
                          .units = "1",
                          .description = "largest norm of a participant's update before its "
                                         "bound; NaN = not measured",
                          .provenance = Provenance::updates,
                          .kind = Metric::Kind::most});
  MetricLog::Id drift = metric_log.declare(
      {.name = "drift",
       .units = "1",
       .description = "mean over the participants of the distance that their local steps have "
                      "led away from the model of the round; NaN = there are no local steps",
       .provenance = Provenance::updates,
       .kind = Metric::Kind::mean,
       .most = MetricLog::most_mean});
};

}  // namespace trilemma
