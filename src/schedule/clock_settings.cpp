#include "schedule/clock_settings.hpp"

namespace trilemma {

ClockSettings read_clock(const Settings& experiment) {
  ClockSettings c{experiment.section("clock"), nullptr, 0};
  const auto& law = choose(step_times(), c.section, "law", "geometric",
                           "step-time law of the clients' local steps");
  {
    const Settings::PartScope scope(c.section, "law", law.name);
    c.law = law.read(c.section);
  }
  c.is_fixed = std::string_view(law.name) == "fixed";
  c.interaction = c.section.number("interaction", 3.0, {.low = 0, .unit = simulated_time},
                                   "time that the server needs for the contacts of a server step");
  return c;
}

// If all steps of a client take the same time, or a job has only one step, the key is not read: the
// command line then refuses it, like every key without effect.
ClockSettings read_clock(const Settings& experiment, long steps) {
  ClockSettings c = read_clock(experiment);
  if (!c.section.when(steps != 1 && !c.is_fixed)) return c;
  c.one_draw =
      c.section.choice(
          "draw", "step", {"step", "job"},
          "draw a time for each local step, or one time per local job that all its steps take") ==
      "job";
  return c;
}

double ClockSettings::end_of_job(const StepTime& times, const JobAddress& job, long steps,
                                 double begin) const {
  Stream stream(step_times_of(job.seed, job.client, job.number));
  if (one_draw) return begin + static_cast<double>(steps) * times.draw(job.client, stream);
  double end = begin;
  for (long step = 0; step < steps; ++step) end += times.draw(job.client, stream);
  return end;
}

bool is_real(const Settings& experiment) {
  return experiment.section("clock").choice(
             "time", "simulated", {"simulated", "real"},
             "clock of asynchronous methods: a simulated clock, on which a run can be repeated, "
             "or real time, in which ranks work at their own speed") == "real";
}

double read_waiting_seconds(const Settings& experiment) {
  return experiment.section("clock").number(
      "waiting_seconds", 0, {.low = 0, .unit = "s"},
      "real time between two server steps, for FAVANO and QuAFL");
}

}  // namespace trilemma
