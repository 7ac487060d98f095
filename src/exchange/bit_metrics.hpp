#pragma once

#include "base/metric_log.hpp"

namespace trilemma {

/// Identifiers of the metrics that every uplink sets.
struct UplinkMetrics {
  MetricLog::Id model_bits, payload_bits, messages;
  MetricLog::Id under_way;  ///< set if messages leave while ranks still compute
};
/// Identifiers of the metrics that every downlink sets.
struct DownlinkMetrics {
  MetricLog::Id model_bits, payload_bits;
};

/// Declares the metrics of both directions, in an order that does not depend on the selected
/// exchange, since a run may be resumed with another one.
struct BitMetrics {
  /// `kind` is sum if every rank counts the messages of its clients, otherwise rank 0 counts all.
  explicit BitMetrics(MetricLog& metric_log, Metric::Kind kind = Metric::Kind::count);
  UplinkMetrics up;
  DownlinkMetrics down;
};

/// Counts a model of `values` values that goes to `receivers` clients as it is.
void add_models(MetricLog& metric_log, const DownlinkMetrics& metrics, std::uint64_t receivers,
                std::size_t values, double model_bits_per_value);

}  // namespace trilemma
