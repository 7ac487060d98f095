#include "experiment/read_weights.hpp"

namespace trilemma {
namespace {

// The objection to weights by records; empty where there is none. Noise is scaled to a bound that
// is the same for all clients: with weights, one client moves the mean by n_k / sum n_k of the
// bound, and both the largest share and the sum depend on the data that are to be protected.
std::string objection(const Plan& plan) {
  if (plan.method.noise)
    return "the noise is scaled to clients that count alike; a client with more records would move "
           "the mean by more than the privacy claim allows, and the numbers of records are private "
           "themselves; choose equal, or a method without noise";
  if (plan.clock || plan.policy)
    return "on the clock the server's step divides by the number of contacts; choose equal, or a "
           "method with rounds, such as fedavg";
  if (!plan.method.can_weigh_records)
    return fmt::format(
        "method {} is defined for clients that count alike; choose equal, or fedavg "
        "or fedprox",
        plan.method_name);
  return "";
}

}  // namespace

void read_weights(const Settings& s, Plan& plan) {
  Settings server = s.section("server");
  plan.weighs_records =
      server.choice("weights", "equal", {"equal", "records"},
                    "what a client counts in the server's mean and in the objective: 1, or its "
                    "number of records") == "records";
  if (!plan.weighs_records) return;
  if (const std::string problem = objection(plan); !problem.empty())
    server.refuse("weights", problem);
}

}  // namespace trilemma
