#include "experiment/read_pace.hpp"

#include <algorithm>

#include "schedule/simulated_clock.hpp"

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
  const auto clock = plan.clock.make();
  TimedStep server_step;
  for (long step = 0; step < plan.rounds; ++step) {
    clock->next(server_step);
    most.push_back(most.back());
    for (const Contact& contact : server_step.contacts)
      most.back() = std::max(most.back(), ++contacts[contact.client]);
  }
  return most;
}

PolicySetup policy_setup(const Plan& plan) {
  return {plan.seed, static_cast<std::uint32_t>(plan.clients), plan.schedule,
          static_cast<std::uint32_t>(plan.rounds)};
}

// The simulated clock of as many server steps as the plan has rounds.
Choice<StepSequence> simulated_clock(const Plan& plan) {
  return Choice<StepSequence>([asynchrony = plan.method.asynchrony, setup = policy_setup(plan)] {
    return simulated(asynchrony, setup);
  });
}

Choice<AsyncPolicy> real_policy(const Plan& plan) {
  return Choice<AsyncPolicy>(
      [make = plan.method.asynchrony.policy, setup = policy_setup(plan)] { return make(setup); });
}

}  // namespace

void read_pace(const Settings& s, Plan& plan) {
  const Asynchrony& asynchrony = plan.method.asynchrony;
  if (!asynchrony.policy) return;
  if (asynchrony.clock) {
    plan.clock = simulated_clock(plan);
  } else {
    plan.policy = real_policy(plan);
    Settings clock = s.section("clock");
    plan.slowdown = read_slowdown(clock);
    plan.method.driver = "asynchronous";
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
  if (plan.method.ends_differently) plan.clock = simulated_clock(plan);
  if (plan.method.noise) plan.contacts_after = most_contacts(s, plan);
}

void declare_real_time(const Settings& s) {
  Settings clock = s.section("clock");
  read_waiting_seconds(s);
  read_slowdown(clock);
}

}  // namespace trilemma
