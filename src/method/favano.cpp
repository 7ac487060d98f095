#include "method/timed.hpp"

namespace trilemma {
namespace {

// FAVANO ([FAV] algorithm 1): the server interrupts s clients, which send w_init + (w - w_init) /
// alpha, where w_init is the model that they received last and w their model after E ^ K steps. The
// server averages these models and its own, and sends the result to them. alpha gives fast and slow
// clients equal weight (section 3).
Method make_favano(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "sgd", .rate = 0.5});
  Settings server = experiment.section("server");
  const bool is_stochastic =
      server.choice("alpha", "deterministic", {"deterministic", "stochastic"},
                    "divisor of a client's progress: E[min(E, K)], or P(E > 0) min(E, K)") ==
      "stochastic";
  m.ends_differently =
      server.choice(
          "output", "model", {"model", "mean"},
          "final model: the server's, or mu_T, the mean of the server's and all clients' models, "
          "which clients send in the last server step") == "mean";
  using Factor = InterruptingOptions::Factor;
  m.steps.can_be_fewer = true;
  m.asynchrony = interrupting(
      experiment, {.most_steps = m.steps.count,
                   .gives_new = true,
                   .keeps = follows_code(experiment),
                   .ends_with_all = m.ends_differently,
                   .factor = is_stochastic ? Factor::stochastic : Factor::deterministic});
  m.averages_models = true;
  m.step = make_mean_with_server();
  return m;
}

}  // namespace

Row<MethodMaker> favano_method() {
  return method_row<make_favano>(
      "favano",
      "asynchronous: the server interrupts some clients at intervals and reweights progress by "
      "speed");
}

}  // namespace trilemma
