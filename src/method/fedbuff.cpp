#include "method/timed.hpp"

namespace trilemma {
namespace {

double fedbuff_code_rate(double clients, double participants) { return participants / clients; }

double read_staleness_power(Settings& server, double usual) {
  return server.number(
      "staleness_power", usual, at_least(0),
      "weight of an update: (1 + staleness)^-power, staleness in server steps since the client's "
      "base version; 0 = equal weights");
}

// FedBuff (Nguyen et al. 2022): clients repeatedly take K local steps from the newest model; the
// server steps along the mean of their differences once Z different clients have reported.
Method make_fedbuff(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "sgd", .rate = 0.5});
  Settings server = experiment.section("server");
  const bool is_code = follows_code(experiment);
  if (is_code) m.rate_factor = fedbuff_code_rate;
  const auto wanted = server.integer_or(
      "buffer", "auto", at_least(1),
      "Z: updates of different clients in a server step; auto = 10, or the number of clients if "
      "smaller");
  m.asynchrony = buffered(experiment, {.steps = m.steps.count,
                                       .wanted = wanted.value_or(0),
                                       .staleness_power = read_staleness_power(server, 0),
                                       .restart = is_code ? BufferedOptions::Restart::consumed
                                                          : BufferedOptions::Restart::at_once});
  m.clients_come = true;
  m.step = make_timed_step(experiment, 1, "eta_g: step size of the server");
  return m;
}

// FedAsync (Xie, Koyejo and Gupta 2019, polynomial form): the server mixes each arriving model into
// its own, x = (1 - a) x + a w_i, a = server.rate (1 + staleness)^-power.
Method make_fedasync(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "sgd", .rate = 0.1});
  Settings server = experiment.section("server");
  m.asynchrony = buffered(
      experiment, {.steps = m.steps.count, .staleness_power = read_staleness_power(server, 0.5)});
  m.clients_come = true;
  m.averages_models = true;
  m.step = make_timed_step(experiment, 0.6, "alpha: share of a client's model in the server's");
  return m;
}

// FedCompass (Li et al. 2024): the server assigns numbers of local steps with which clients of
// different speeds report together, and steps x -= rate sum_i (1 + staleness)^-power (x_start -
// w_i) / n.
Method make_fedcompass(Settings& experiment) {
  Method m = timed_method(experiment, {.solver = "sgd", .rate = 0.1});
  Settings server = experiment.section("server");
  CompassOptions options{.most_steps = m.steps.count};
  options.least_steps =
      server.integer("least_steps", std::max(1L, m.steps.count / 5), at_least(1),
                     "smallest number of local steps of a client; the largest is local.steps");
  if (options.least_steps > options.most_steps)
    server.refuse("least_steps", fmt::format("more than the most, local.steps = {}; lower it",
                                             options.most_steps));
  options.patience = server.number(
      "patience", 1.2, at_least(1),
      "time for which the server waits for a group of clients, as a multiple of its expected time");
  options.staleness_power = read_staleness_power(server, 0.5);
  m.steps.can_be_fewer = true;
  m.asynchrony = compass(experiment, options);
  m.clients_come = true;
  m.step = make_timed_step(experiment, 1, "step size of the server");
  return m;
}

}  // namespace

Row<MethodMaker> fedcompass_method() {
  return method_row<make_fedcompass>(
      "fedcompass", "semi-asynchronous: local steps chosen so that clients report in groups");
}
Row<MethodMaker> fedbuff_method() {
  return method_row<make_fedbuff>(
      "fedbuff",
      "asynchronous: clients report when they are done, the server steps every Z updates");
}
Row<MethodMaker> fedasync_method() {
  return method_row<make_fedasync>(
      "fedasync",
      "asynchronous: every client model is mixed into the server's, with less weight if stale");
}

}  // namespace trilemma
