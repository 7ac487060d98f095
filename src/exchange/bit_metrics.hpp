#pragma once

#include "base/metric_log.hpp"

namespace trilemma {

/// Numbers, in the metric log, of the metrics that every uplink makes.
struct UplinkMetrics {
  MetricLog::Id model_bits, payload_bits, messages;
  MetricLog::Id under_way;  ///< set where messages leave while ranks still work
};
/// The same of every downlink.
struct DownlinkMetrics {
  MetricLog::Id model_bits, payload_bits;
};

/// Both, in an order that does not depend on the rows that are chosen: a run may go on with others.
struct BitMetrics {
  explicit BitMetrics(MetricLog& metric_log);
  UplinkMetrics up;
  DownlinkMetrics down;
};

/// Counts a model of `values` values that goes to `receivers` clients as it is.
void add_models(MetricLog& metric_log, const DownlinkMetrics& metrics, std::uint64_t receivers,
                std::size_t values, double model_bits_per_value);

}  // namespace trilemma
