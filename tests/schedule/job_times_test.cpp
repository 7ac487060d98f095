// Times of local jobs with one draw for all of their steps (src/schedule/clock_settings.hpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "schedule/simulated_clock.hpp"

namespace trilemma::job_times_test {
namespace {

const Choice<Schedule> everyone([] { return make_full_schedule(1); });
const Choice<Schedule> some([] {
  Settings s = Settings::from_text("size = 20", "participation.toml");
  return row(schedules(), "fixed-size").make(s, 1, 100);
});

Settings clock(const std::string& keys) {
  return Settings::from_text("[clock]\n" + keys, "clock.toml");
}

std::vector<TimedStep> server_steps(const Asynchrony& pace, const Choice<Schedule>& schedule,
                                    std::uint32_t clients, std::size_t count) {
  const auto sequence = simulated(pace, {1, clients, schedule});
  std::vector<TimedStep> all(count);
  for (TimedStep& server_step : all) sequence->next(server_step);
  return all;
}

// One draw for the whole job: all steps of the slowest client take the first time drawn.
TEST(JobTimes, OfFedAvgAreOneDrawTimesK) {
  const Settings experiment = clock("draw = \"job\"");
  Settings section = experiment.section("clock");
  const auto law = step_times().front().make(section, 1, 100);
  double before = 0;
  std::uint32_t step = 0;
  for (const TimedStep& server_step :
       server_steps(semi_synchronous(experiment, 20), some, 100, 50)) {
    double slowest = 0;
    for (const Contact& contact : server_step.contacts) {
      Stream stream({1, Purpose::step_time, contact.client, step});
      slowest = std::max(slowest, law->draw(contact.client, stream));
      EXPECT_EQ(contact.steps, 20U);
    }
    EXPECT_EQ(server_step.time, before + 3 + 20 * slowest);
    before = server_step.time;
    ++step;
  }
}

// A single client with jobs of 4 steps whose times are whole numbers: with one draw per job the
// time of each job is a multiple of 4, otherwise only some are.
TEST(JobTimes, OfFedCompassAreOneDrawTimesTheirSteps) {
  const auto multiples = [](const char* keys) {
    double before = 0;
    std::size_t found = 0;
    const Asynchrony pace = compass(clock(std::string("slow_share = 0\nfast = 5\n") + keys),
                                    {.least_steps = 4, .most_steps = 4});
    for (const TimedStep& server_step : server_steps(pace, everyone, 1, 100)) {
      found += std::fmod(server_step.time - before - 3, 4) == 0 ? 1 : 0;
      before = server_step.time;
    }
    return found;
  };
  EXPECT_EQ(multiples("draw = \"job\""), 100U);
  EXPECT_LT(multiples("draw = \"step\""), 60U);
}

}  // namespace
}  // namespace trilemma::job_times_test
