#pragma once

#include "base/metric_log.hpp"
#include "comm/ledger.hpp"

namespace trilemma {

/// Notes a ledger in a metric log, in bits.
class TrafficMetrics {
 public:
  explicit TrafficMetrics(MetricLog& metric_log);
  void observe(const Ledger& ledger);

 private:
  MetricLog& metric_log_;
  MetricLog::Id up_, up_between_nodes_, down_, evaluation_, control_;
};

}  // namespace trilemma
