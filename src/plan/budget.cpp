#include "plan/budget.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"

namespace trilemma {
namespace {

// Rounds that `size` pays for at so many bits each.
double rounds_for(const Settings& budget, const char* key, const std::string& size, double bits) {
  const auto total = bits_in(size);
  if (!total) budget.refuse(key, size_problem(size));
  if (bits == 0)
    budget.refuse(key, "nothing crosses in this direction; leave it out, or set rounds");
  // A share of participants such as 1/3 must not cost a round.
  const double rounds = std::floor(*total / bits * (1 + 1e-12));
  if (rounds < 1)
    budget.refuse(key, fmt::format("a round takes {} per client on average; raise the budget, "
                                   "compress more, or let fewer clients take part",
                                   with_prefix(bits, "bit")));
  if (rounds > most_rounds)
    budget.refuse(key, fmt::format("{:.3g} rounds of {} per client, and a run has at most {:.0f}; "
                                   "lower the budget, or set rounds",
                                   rounds, with_prefix(bits, "bit"), most_rounds));
  return rounds;
}

// Server steps that end by a simulated time.
double steps_within(const Settings& budget, const Plan& plan, double time) {
  if (plan.dispatcher) budget.refuse("time", "real time depends on the machine; set rounds");
  if (!plan.timeline)
    budget.refuse("time", fmt::format("method {} has no simulated clock; set rounds, or choose "
                                      "another one, favano for example",
                                      plan.method_name));
  const auto timeline = plan.timeline.make();
  Meeting meeting;
  double steps = 0;
  for (timeline->next(meeting); meeting.time <= time; timeline->next(meeting))
    if (++steps > most_timed_steps)
      budget.refuse("time", fmt::format("more than {:g} server steps; lower it", most_timed_steps));
  if (steps < 1)
    budget.refuse("time",
                  fmt::format("the first server step ends at {:g}; raise it", meeting.time));
  return steps;
}

}  // namespace

BudgetPlan read_budget(const Settings& experiment) {
  Settings budget = experiment.section("budget");
  BudgetPlan plan;
  plan.upload =
      budget.text("upload", "",
                  "what a client sends in the whole run, in expectation over the "
                  "clients and over who takes part, as \"1MB\": sets rounds; empty = no limit");
  plan.download =
      budget.text("download", "",
                  "what a client may receive in the whole run, likewise; with both, the "
                  "smaller number of rounds");
  plan.time = budget.optional_number("time", positive(),
                                     "simulated time of a method on the clock: sets rounds to the "
                                     "server steps that end by then");
  budget.omit_at_default("time");
  return plan;
}

BitsPerRound bits_per_round(const Plan& plan) {
  const StateShape shape = plan.shape();
  const double share = plan.participants() / static_cast<double>(plan.clients);
  BitsPerRound bits;
  if (shape.up > 0 && plan.compressor->layout().is_equal())
    bits.up = share * static_cast<double>(plan.compressor->layout().most_bits());
  bits.down = (plan.memory->traits.works_without_sending ? 1.0 : share) *
              static_cast<double>(shape.down) * sizeof(real) * 8;
  return bits;
}

void apply_budget(Settings& experiment, Plan& plan) {
  const BudgetPlan given = read_budget(experiment);
  if (given.upload.empty() && given.download.empty() && !given.time) return;
  Settings budget = experiment.section("budget");
  const bool budget_commanded =
      budget.commanded("upload") || budget.commanded("download") || budget.commanded("time");
  if (experiment.commanded("rounds") && budget_commanded)
    experiment.refuse("rounds", "a budget sets the number of rounds; leave one of them out");
  // What lies above counts: the command line over a file, and a file over its base.
  constexpr std::array keys{"budget.upload", "budget.download", "budget.time"};
  if (!std::ranges::all_of(keys,
                           [&](const char* key) { return experiment.lies_above("rounds", key); })) {
    if (!given.upload.empty() && !plan.compressor->layout().is_equal())
      budget.refuse(
          "upload",
          "the messages of this compressor differ in size, so that rounds do not follow; set "
          "rounds");
    if (plan.method.ends_differently && !(given.upload.empty() && given.download.empty()))
      budget.refuse(given.upload.empty() ? "download" : "upload",
                    "with server.output = mean all clients are contacted in the last server step, "
                    "unlike in those before; set rounds, or budget.time");
    const BitsPerRound bits = bits_per_round(plan);
    double rounds = most_rounds;
    if (!given.upload.empty())
      rounds = std::min(rounds, rounds_for(budget, "upload", given.upload, bits.up));
    if (!given.download.empty())
      rounds = std::min(rounds, rounds_for(budget, "download", given.download, bits.down));
    if (given.time) rounds = std::min(rounds, steps_within(budget, plan, *given.time));
    plan.rounds = static_cast<long>(rounds);
    experiment.spell_out("rounds", plan.rounds);
  }
  // The resolved configuration is that of the rounds, and does not contradict itself.
  budget.spell_out("upload", "");
  budget.spell_out("download", "");
  if (given.time) budget.leave_out("time", "");
}

}  // namespace trilemma
