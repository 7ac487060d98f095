#pragma once
// What is recorded of server steps that meet some of the clients: of how far these have come, and
// how old the models were that they have worked at.

#include <algorithm>

#include "base/metric_log.hpp"
#include "schedule/contact.hpp"

namespace trilemma {

class ContactMetrics {
 public:
  /// Declares the columns; `time` is that of when a server step ends.
  ContactMetrics(MetricLog& metric_log, const Metric& time, std::uint32_t clients);

  /// A client has been met.
  void count(std::uint32_t client) { ++contacts_[client]; }
  /// Forgets who has been met.
  void restart() { std::fill(contacts_.begin(), contacts_.end(), 0); }
  /// Notes server step number `step`, counts only on rank 0.
  void observe(const TimedStep& server_step, std::uint32_t step, bool counts);
  /// Notes how often clients have been met.
  void observe_contacts();
  /// The squared distance of a client's model to the server's.
  void observe_distance(double squared) { metric_log_.observe(model_drift_, squared); }
  void set_time(double time) { metric_log_.set(time_, time); }
  /// What a restart must find again, where nothing else tells it.
  void persist(State& state) { state.values(contacts_); }

 private:
  MetricLog& metric_log_;
  MetricLog::Id time_, met_, steps_, fewest_, most_, staleness_, oldest_, model_drift_;
  std::vector<std::uint32_t> contacts_;  ///< so far, by client
};

double distance_squared(ConstView a, ConstView b);

}  // namespace trilemma
