#pragma once

#include "base/metric_log.hpp"
#include "comm/ledger.hpp"

namespace trilemma {

/// Records the counts of a ledger as metrics, in bits.
class TrafficMetrics {
 public:
  explicit TrafficMetrics(MetricLog& metric_log);
  /// Sets the metrics to the counts of `ledger`.
  void observe(const Ledger& ledger);

 private:
  MetricLog& metric_log_;
  MetricLog::Id up_, up_between_nodes_, down_, evaluation_, control_;
};

}  // namespace trilemma
