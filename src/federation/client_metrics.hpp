#pragma once

#include "base/metric_log.hpp"

namespace trilemma {

/// Identifiers of the metrics that the clients record.
struct ClientMetrics {
  explicit ClientMetrics(MetricLog& metric_log);
  MetricLog::Id records, clipped, clipped_share, norm_ratio, not_finite, record_norm, least_norm, most_norm, drift;
};

}  // namespace trilemma
