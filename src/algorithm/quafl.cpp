#include "algorithm/timed.hpp"

namespace trilemma {
namespace {

double code_rate(double, double participants) { return (participants + 1) / participants; }

// The server interrupts s clients; each sends its model, averages it with the server's old one, and
// goes on ([FAV] section 5, Zakerinia et al. 2022).
Method make_quafl(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "averaged-sgd", .rate = 0.5});
  m.timeline = interrupts(experiment, {.most_steps = m.steps.count, .gives_new = false});
  m.averages_models = true;
  m.step = make_mean_with_server();
  if (experiment.section("local").flag(
          "code_rate", false,
          "local steps as in the published simulator: local.rate times (s + 1) / s for quafl, "
          "times Z / n for fedbuff"))
    m.rate_factor = code_rate;
  return m;
}

}  // namespace

Row<MethodMaker> quafl_method() {
  return method_row<make_quafl>(
      "quafl", "asynchronous: a clock interrupts some clients, which average with the server");
}

}  // namespace trilemma
