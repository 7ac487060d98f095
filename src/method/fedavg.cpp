#include "method/server_step.hpp"

namespace trilemma {
namespace {

// FedAvg: x -= rate * mean_i (x - w_i), where w_i is the model after local steps from x ([NORM]
// appendix A; McMahan et al. 2017, who weight the mean by the clients' records: server.weights).
// With a pull, the local objective is f_i(w) + (mu/2) ||w - x||^2: FedProx.
Method make_fedavg(Settings& experiment, double pull) {
  Method m;
  m.steps = read_local_steps(experiment.section("local"), {.solver = "sgd", .pull = pull});
  m.bound = "none";
  m.noise = false;
  m.private_form = "dp-fedavg-clip";
  m.default_compressor = "identity";
  m.can_weigh_records = true;
  m.step = make_averaging_step(experiment, m.steps.rate, {});
  return m;
}
Method make_fedavg(Settings& experiment) { return make_fedavg(experiment, 0); }
Method make_fedprox(Settings& experiment) { return make_fedavg(experiment, 0.1); }

}  // namespace

Row<MethodMaker> fedavg_method() {
  return method_row<make_fedavg>("fedavg",
                                 "mean of local models after several local steps, no privacy");
}
Row<MethodMaker> fedprox_method() {
  return method_row<make_fedprox>(
      "fedprox", "fedavg with a pull of the local steps to the model of the round, no privacy");
}

}  // namespace trilemma
