#include "driver/contact_metrics.hpp"

namespace trilemma {

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
