#include "experiment/uplink_choice.hpp"

#include "exchange/uplink.hpp"

namespace trilemma {

UplinkChoice uplink_of(const Plan& plan, long ranks, long hosts, long nodes) {
  if (plan.uplink != automatic) return {.uplink = plan.uplink, .facts = {}};
  const Layout layout = plan.compressor->layout();
  const StateShape shape = plan.shape();
  // Where all clients send the same coordinates, only these are summed (exchange/reduce.cpp).
  const bool is_aligned = plan.compressor->traits().is_shared && shape.stride == 0;
  const double number = layout.value == ValueFormat::float64 ? 2 * sizeof(double) : sizeof(double);
  return automatic_uplink(
      {.ranks = ranks,
       .nodes = nodes,
       .messages = plan.participants() / static_cast<double>(nodes > 1 ? nodes : hosts),
       .message_bytes = static_cast<double>(layout.bytes()),
       .sum_bytes = number * static_cast<double>(is_aligned ? layout.count : shape.state),
       .is_strict = plan.privacy.strict});
}

bool sends_sums(const std::string& uplink) { return row(uplinks(), uplink).make.sums_on_ranks; }

bool take_recorded_uplink(Plan& plan, const std::string& recorded) {
  if (!recorded.empty()) plan.uplink = recorded;
  return is_uplink(plan.uplink);
}

}  // namespace trilemma
