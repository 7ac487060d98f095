#include "schedule/clock_settings.hpp"

namespace trilemma {

ClockSettings read_clock(const Settings& experiment) {
  ClockSettings c{experiment.section("clock"), nullptr, 0, 0};
  c.law =
      choose(step_times(), c.section, "law", "geometric", "times of the clients' local steps").make;
  c.interaction = c.section.number("interaction", 3.0, at_least(0),
                                   "time that the server takes for its contacts in a step");
  return c;
}

bool is_real(const Settings& experiment) {
  return experiment.section("clock").choice(
             "time", "simulated", {"simulated", "real"},
             "of asynchronous methods: a clock of their own, on which a run can be repeated, or "
             "that of the wall, in which ranks work at their own speed") == "real";
}

double read_waiting_seconds(const Settings& experiment) {
  return experiment.section("clock").number(
      "waiting_seconds", 0, at_least(0),
      "real time between two server steps, for FAVANO and QuAFL");
}

}  // namespace trilemma
