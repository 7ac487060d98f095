#include <algorithm>

#include "experiment/sections.hpp"
#include "schedule/simulated_clock.hpp"

namespace trilemma {
namespace {

// Returns the largest number of contacts of a client after 0, 1, ..., plan.rounds server steps of
// the simulated clock. Throws UserError for more steps than can be simulated.
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

}  // namespace

void read_pace(const Settings& s, Plan& plan) {
  const Asynchrony& asynchrony = plan.method.asynchrony;
  const bool is_real = asynchrony.policy && !asynchrony.clock;
  Settings clock = s.section("clock");
  if (s.when(is_real))
    plan.slowdown = clock.integers(
        "slowdown", {}, {.low = 1, .high = 1e6},
        "real time: factor by which each hosting rank artificially slows down its local steps, "
        "such as [1, 8]; ranks not listed: 1");
  if (!asynchrony.policy) return;
  plan.choose_clock();
  if (is_real) plan.method.driver = "asynchronous";
  if (plan.method.clients_come && plan.schedule->draw() != Draw::everyone)
    s.section("participation")
        .refuse("kind", fmt::format("clients of method {} report when they are done; leave it out",
                                    plan.method_name));
}

void check_real_exchange(const Settings& exchange, Plan& plan) {
  if (plan.uplink != automatic && plan.uplink != "gather")
    exchange.refuse("up", "in real time messages reach rank 0 one by one; leave it out");
  if (plan.downlink != "plain")
    exchange.refuse("down", "in real time models are sent uncompressed; leave it out");
  plan.uplink = "overlap";
}

void settle_pace(const Settings& s, Plan& plan) {
  if (plan.method.ends_differently) plan.choose_clock();
  if (plan.method.noise) plan.contacts_after = most_contacts(s, plan);
}

}  // namespace trilemma
