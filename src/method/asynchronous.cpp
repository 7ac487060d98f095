// The asynchronous methods: one row each, and those whose text is their policy.

#include "method/timed.hpp"

namespace trilemma {

Row<MethodMaker> favano_method();
Row<MethodMaker> quafl_method();
Row<MethodMaker> fedbuff_method();
Row<MethodMaker> asyncsgd_method();
Row<MethodMaker> fedasync_method();
Row<MethodMaker> fedcompass_method();

namespace {

// FedAvg on the clock: s clients take K steps each, and the server waits for the slowest ([FAV]
// section 5).
Method make_fedavg_timed(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "sgd", .rate = 0.5});
  m.asynchrony = semi_synchronous(experiment, m.steps.count);
  m.step = make_timed_step(experiment, 1, "step size of the server");
  return m;
}

}  // namespace

std::span<const Row<MethodMaker>> asynchronous_methods() {
  static const Row<MethodMaker> table[] = {
      favano_method(),
      quafl_method(),
      fedbuff_method(),
      method_row<make_fedavg_timed>(
          "fedavg-timed", "fedavg on the simulated clock: the server waits for the slowest client"),
      asyncsgd_method(),
      fedasync_method(),
      fedcompass_method(),
  };
  return table;
}

}  // namespace trilemma
