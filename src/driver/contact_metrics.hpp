#pragma once
// Metrics of asynchronous server steps: contacts and local steps of the clients, staleness of their
// updates, and distance of their models to the server's.

#include <algorithm>

#include "base/metric_log.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {

/// Returns the metric of the end of a server step on a simulated clock with these units.
constexpr Metric metric_of_simulated_time(const char* units) {
  return {.name = "simulated_time",
          .units = units,
          .description = "time on the simulated clock when the server step ends",
          .provenance = Provenance::released,
          .never_falls = true,
          .runs = Metric::Runs::simulated};
}
/// The metric of the end of a server step in real time.
inline constexpr Metric metric_of_real_time = {
    .name = "real_time",
    .units = "s",
    .description = "time since the start when the server step ends",
    .provenance = Provenance::environment,
    .never_falls = true,
    .runs = Metric::Runs::real};

class ContactMetrics {
 public:
  /// Declares the metrics in `metric_log`, which must outlive this object. `time` is the metric of
  /// the end of a server step, `clients` the number of all clients.
  ContactMetrics(MetricLog& metric_log, const Metric& time, std::uint32_t clients)
      : metric_log_(metric_log), time_(metric_log.declare(time)), contacts_(clients, 0) {}

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
  MetricLog::Id time_;
  MetricLog::Id met_ =
      metric_log_.declare({.name = "contacts",
                           .units = "contact",
                           .description = "client updates that have entered a server step",
                           .provenance = Provenance::released,
                           .kind = Metric::Kind::count,
                           .runs = Metric::Runs::timed});
  MetricLog::Id steps_ =
      metric_log_.declare({.name = "local_steps",
                           .units = "step",
                           .description = "local steps behind these client updates",
                           .provenance = Provenance::released,
                           .kind = Metric::Kind::count,
                           .runs = Metric::Runs::timed});
  MetricLog::Id fewest_ =
      metric_log_.declare({.name = "contacts_least",
                           .units = "contact",
                           .description = "contacts so far of the client with the fewest",
                           .provenance = Provenance::released,
                           .never_above = "contacts_most",
                           .runs = Metric::Runs::timed});
  MetricLog::Id most_ =
      metric_log_.declare({.name = "contacts_most",
                           .units = "contact",
                           .description = "contacts so far of the client with the most",
                           .provenance = Provenance::released,
                           .runs = Metric::Runs::timed});
  MetricLog::Id staleness_ =
      metric_log_.declare({.name = "staleness",
                           .units = "round",
                           .description = "server steps since a client's base version, mean "
                                          "over the contacts of the server step",
                           .provenance = Provenance::released,
                           .never_above = "staleness_most",
                           .runs = Metric::Runs::timed});
  MetricLog::Id oldest_ =
      metric_log_.declare({.name = "staleness_most",
                           .units = "round",
                           .description = "server steps since a client's base version, "
                                          "largest over the contacts of the server step",
                           .provenance = Provenance::released,
                           .runs = Metric::Runs::timed});
  MetricLog::Id model_drift_ = metric_log_.declare(
      {.name = "model_drift",
       .units = "1",
       .description = "squared distance of a client's model to the server's, mean over the "
                      "models that clients have or started from at their last contact",
       .provenance = Provenance::own_models,
       .kind = Metric::Kind::mean,
       .most = MetricLog::most_mean,
       .runs = Metric::Runs::timed});
  std::vector<std::uint32_t> contacts_;  ///< number so far, by client
};

/// Returns ||a - b||^2, summed in double.
double distance_squared(ConstView a, ConstView b);

}  // namespace trilemma
