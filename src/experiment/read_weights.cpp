#include "experiment/sections.hpp"

namespace trilemma {
namespace {

// Returns the objection to weights by records; empty if there is none. Noise is calibrated to a
// bound that is the same for all clients. With weights, one client moves the mean by n_k / sum n_k
// of the bound, and both the largest share and the sum depend on the private data.
std::string objection(const Plan& plan) {
  if (plan.method.noise)
    return "the noise is calibrated for clients of equal weight; a client with more records would "
           "move the mean by more than the privacy claim allows, and the numbers of records are "
           "private themselves; choose equal, or a method without noise";
  if (plan.clock || plan.policy)
    return "on the clock the server's step divides by the number of contacts; choose equal, or a "
           "method with rounds, such as fedavg";
  if (!plan.method.can_weigh_records)
    return fmt::format(
        "method {} is defined for clients of equal weight; choose equal, or fedavg or fedprox",
        plan.method_name);
  return "";
}

}  // namespace

void read_weights(const Settings& s, Plan& plan) {
  Settings server = s.section("server");
  plan.weighs_records =
      server.choice(
          "weights", "equal", {"equal", "records"},
          "weight of a client in the server's mean and in the objective: 1, or its number of "
          "records") == "records";
  if (!plan.weighs_records) return;
  if (const std::string problem = objection(plan); !problem.empty())
    server.refuse("weights", problem);
}

}  // namespace trilemma
