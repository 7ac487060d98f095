#pragma once
// Metrics of asynchronous server steps: contacts and local steps of the clients, staleness of their
// updates, and distance of their models to the server's.

#include <algorithm>

#include "base/metric_log.hpp"
#include "schedule/contact.hpp"

namespace trilemma {

class ContactMetrics {
 public:
  /// Declares the metrics in `metric_log`, which must outlive this object. `time` is the metric of
  /// the end of a server step, `clients` the number of all clients.
  ContactMetrics(MetricLog& metric_log, const Metric& time, std::uint32_t clients);

  /// Counts a contact of `client`.
  void count(std::uint32_t client) { ++contacts_[client]; }
  /// Sets the contacts of all clients to 0.
  void restart() { std::fill(contacts_.begin(), contacts_.end(), 0); }
  /// Records server step number `step`. `counts` must be true on one rank only: contacts and local
  /// steps are summed over the ranks.
  void observe(const TimedStep& server_step, std::uint32_t step, bool counts);
  /// Records the fewest and the most contacts of a client so far.
  void observe_contacts();
  /// Records the squared distance of a client's model to the server's.
  void observe_distance(double squared) { metric_log_.observe(model_drift_, squared); }
  /// Records the end of a server step.
  void set_time(double time) { metric_log_.set(time_, time); }
  /// Saves or restores the contacts, for drivers that cannot compute them again.
  void persist(State& state) { state.values(contacts_); }

 private:
  MetricLog& metric_log_;
  MetricLog::Id time_, met_, steps_, fewest_, most_, staleness_, oldest_, model_drift_;
  std::vector<std::uint32_t> contacts_;  ///< number so far, by client
};

/// Returns ||a - b||^2, summed in double.
double distance_squared(ConstView a, ConstView b);

}  // namespace trilemma
