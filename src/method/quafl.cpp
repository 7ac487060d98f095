#include "method/timed.hpp"

namespace trilemma {
namespace {

double quafl_code_rate(double, double participants) { return (participants + 1) / participants; }

// QuAFL ([FAV] section 5, Zakerinia et al. 2022): the server interrupts s clients; each sends its
// model, averages it with the server's previous one, and continues.
Method make_quafl(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "averaged-sgd", .rate = 0.5});
  const bool is_code = follows_code(experiment);
  m.steps.can_be_fewer = true;
  m.asynchrony =
      interrupting(experiment, {.most_steps = m.steps.count, .gives_new = false, .keeps = is_code});
  if (is_code) m.rate_factor = quafl_code_rate;
  m.averages_models = true;
  m.step = make_mean_with_server();
  return m;
}

}  // namespace

Row<MethodMaker> quafl_method() {
  return method_row<make_quafl>(
      "quafl",
      "asynchronous: the server interrupts some clients at intervals and averages models with "
      "them");
}

}  // namespace trilemma
