#include "experiment/read_pace.hpp"

#include <algorithm>

#include "schedule/clock_settings.hpp"

namespace trilemma {
namespace {

std::vector<long> read_slowdown(Settings& clock) {
  return clock.integers("slowdown", {}, {.low = 1, .high = 1e6},
                        "real time: how many times as long each hosting rank takes for a local "
                        "step, on purpose, as [1, 8]; those that are not named: 1");
}

// Most contacts of any client on the simulated clock after 0, 1, ..., plan.rounds server steps;
// refuses more of these than can be gone through.
std::vector<std::uint32_t> most_contacts(const Settings& s, const Plan& plan) {
  if (static_cast<double>(plan.rounds) > most_timed_steps)
    s.refuse("rounds", fmt::format("more than {:g} server steps, whose contacts the claim counts; "
                                   "lower it",
                                   most_timed_steps));
  std::vector<std::uint32_t> contacts(static_cast<std::size_t>(plan.clients), 0);
  std::vector<std::uint32_t> most{0};
  const auto timeline = plan.timeline.make();
  Meeting meeting;
  for (long step = 0; step < plan.rounds; ++step) {
    timeline->next(meeting);
    most.push_back(most.back());
    for (const Contact& contact : meeting.contacts)
      most.back() = std::max(most.back(), ++contacts[contact.client]);
  }
  return most;
}

// The simulated clock of as many server steps as the plan has rounds.
Choice<Timeline> timeline_of(const Plan& plan) {
  return Choice<Timeline>([make = plan.method.pace.simulated, seed = plan.seed,
                           clients = static_cast<std::uint32_t>(plan.clients),
                           schedule = plan.schedule,
                           steps = static_cast<std::uint32_t>(plan.rounds)] {
    return make({seed, clients, schedule, steps});
  });
}

}  // namespace

void read_pace(const Settings& s, Plan& plan) {
  const Pace& pace = plan.method.pace;
  if (!pace.simulated && !pace.real) return;
  const auto clients = static_cast<std::uint32_t>(plan.clients);
  if (pace.real) {
    plan.dispatcher =
        Choice<Dispatcher>([make = pace.real, seed = plan.seed, clients, schedule = plan.schedule] {
          return make({seed, clients, schedule});
        });
    Settings clock = s.section("clock");
    plan.slowdown = read_slowdown(clock);
    plan.method.driver = "asynchronous";
  } else {
    plan.timeline = timeline_of(plan);
  }
  if (plan.method.clients_come && plan.schedule->draw() != Draw::everyone)
    s.section("participation")
        .refuse("kind", fmt::format("clients of method {} come when they are done; leave it out",
                                    plan.method_name));
}

void check_real_exchange(const Settings& exchange, Plan& plan) {
  if (plan.uplink != "gather")
    exchange.refuse("up", "in real time messages come to rank 0 one by one; leave it out");
  if (plan.downlink != "plain")
    exchange.refuse("down", "in real time models travel as they are; leave it out");
  plan.uplink = "overlap";
}

void settle_pace(const Settings& s, Plan& plan) {
  if (plan.method.ends_differently) plan.timeline = timeline_of(plan);
  if (plan.method.noise) plan.contacts_after = most_contacts(s, plan);
}

void declare_real_time(const Settings& s) {
  Settings clock = s.section("clock");
  read_waiting_seconds(s);
  read_slowdown(clock);
}

}  // namespace trilemma
