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

}  // namespace trilemma
