#include "driver/contact_metrics.hpp"

namespace trilemma {

ContactMetrics::ContactMetrics(MetricLog& metric_log, const Metric& time, std::uint32_t clients)
    : metric_log_(metric_log),
      time_(metric_log.declare(time)),
      met_(metric_log.declare({.name = "contacts",
                               .units = "contact",
                               .description = "client updates that have entered a server step",
                               .provenance = Provenance::released,
                               .kind = Metric::Kind::count})),
      steps_(metric_log.declare({.name = "local_steps",
                                 .units = "step",
                                 .description = "local steps behind these client updates",
                                 .provenance = Provenance::released,
                                 .kind = Metric::Kind::count})),
      fewest_(metric_log.declare({.name = "contacts_least",
                                  .units = "contact",
                                  .description = "contacts so far of the client with the fewest",
                                  .provenance = Provenance::released})),
      most_(metric_log.declare({.name = "contacts_most",
                                .units = "contact",
                                .description = "contacts so far of the client with the most",
                                .provenance = Provenance::released})),
      staleness_(
          metric_log.declare({.name = "staleness",
                              .units = "round",
                              .description = "server steps since a client's base version, mean "
                                             "over the contacts of the server step",
                              .provenance = Provenance::released})),
      oldest_(metric_log.declare({.name = "staleness_most",
                                  .units = "round",
                                  .description = "server steps since a client's base version, "
                                                 "largest over the contacts of the server step",
                                  .provenance = Provenance::released})),
      model_drift_(metric_log.declare(
          {.name = "model_drift",
           .units = "1",
           .description = "squared distance of a client's model to the server's, mean over the "
                          "models that clients have or started from at their last contact",
           .provenance = Provenance::own_models,
           .kind = Metric::Kind::mean})),
      contacts_(clients, 0) {}

void ContactMetrics::observe(const TimedStep& server_step, std::uint32_t step, bool counts) {
  double staleness = 0;
  std::uint32_t oldest = 0;
  std::uint64_t steps = 0;
  for (const Contact& contact : server_step.contacts) {
    staleness += step - contact.base;
    oldest = std::max(oldest, step - contact.base);
    steps += contact.steps;
  }
  metric_log_.set(time_, server_step.time);
  if (!server_step.contacts.empty()) {
    metric_log_.set(staleness_, staleness / static_cast<double>(server_step.contacts.size()));
    metric_log_.set(oldest_, oldest);
  }
  if (!counts) return;
  metric_log_.add(met_, server_step.contacts.size());
  metric_log_.add(steps_, steps);
}

void ContactMetrics::observe_contacts() {
  const auto [fewest, most] = std::minmax_element(contacts_.begin(), contacts_.end());
  metric_log_.set(fewest_, *fewest);
  metric_log_.set(most_, *most);
}

double distance_squared(ConstView a, ConstView b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double d = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    sum += d * d;
  }
  return sum;
}

}  // namespace trilemma
