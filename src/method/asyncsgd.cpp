#include "method/timed.hpp"

namespace trilemma {
namespace {

// Asynchronous SGD: x -= eta g_i(x_start) for each gradient that arrives, with s gradients in
// flight; the next client is drawn at random and gets the new x (Koloskova, Stich and Jaggi 2022,
// algorithm 2 with random assignment). The client's one step has step size eta, the server's step
// size is 1.
Method make_asyncsgd(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "sgd", .rate = 0.1, .only_one = true});
  const long in_flight = experiment.section("server").integer(
      "in_flight", 10, at_least(1), "s: number of gradients under computation at any time");
  m.asynchrony = buffered(experiment, {.steps = 1, .in_flight = in_flight});
  m.clients_come = true;
  m.step = make_timed_step(experiment, 1, "step size of the server");
  return m;
}

}  // namespace

Row<MethodMaker> asyncsgd_method() {
  return method_row<make_asyncsgd>(
      "asyncsgd",
      "asynchronous: one server step per gradient, taken at the model that the client had");
}

}  // namespace trilemma
