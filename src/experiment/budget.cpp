#include "experiment/budget.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "schedule/step_time.hpp"

namespace trilemma {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Returns the bits of a message if all messages have the same length, otherwise NaN.
double bits_of(const Layout& layout) {
  return layout.is_equal() ? static_cast<double>(layout.most_bits()) : unknown;
}

// Returns the number of rounds within the budget `size` at `bits` per round, after `before` bits.
double rounds_for(const Settings& budget, const char* key, const std::string& size, double bits,
                  double before) {
  const auto total = bits_in(size);
  if (!total) budget.refuse(key, size_problem(size));
  if (std::isnan(bits))
    budget.refuse(
        key,
        "the messages of this compressor differ in size, so the budget determines no number of "
        "rounds; set rounds");
  if (bits == 0)
    budget.refuse(key, "nothing is sent in this direction; leave it out, or set rounds");
  // The tolerance keeps the rounding of a participation rate such as 1/3 from losing a round.
  const double rounds = std::floor((*total - before) / bits * (1 + 1e-12));
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

// Returns whether the number of contacts of a server step varies by design and not by chance.
bool contacts_vary(const Plan& plan) { return plan.clock && !plan.clock->contacts_alike(); }

// Returns the number of rounds within the budgets of bits; most_rounds if there are none.
double rounds_within_bits(const Settings& budget, const Plan& plan, const BudgetPlan& given) {
  if (given.upload.empty() && given.download.empty()) return most_rounds;
  const char* key = given.upload.empty() ? "download" : "upload";
  if (plan.method.ends_differently)
    budget.refuse(key,
                  "with server.output = mean all clients are contacted in the last server step, "
                  "unlike in those before; set rounds, or budget.time");
  if (plan.joint.local)
    budget.refuse(key,
                  fmt::format("the messages of {} follow from the number of rounds; set rounds",
                              plan.joint_kind));
  if (contacts_vary(plan))
    budget.refuse(
        key,
        fmt::format(
            "method {} contacts a different number of clients in each server step; set rounds, or "
            "budget.time",
            plan.method_name));
  const BitsPerRound bits = bits_per_round(plan);
  double rounds = most_rounds;
  if (!given.upload.empty())
    rounds = std::min(rounds, rounds_for(budget, "upload", given.upload, bits.up, 0));
  if (!given.download.empty())
    rounds = std::min(rounds,
                      rounds_for(budget, "download", given.download, bits.down, bits.down_before));
  return rounds;
}

// Returns the number of server steps that end no later than the simulated time `time`.
double steps_within(const Settings& budget, const Plan& plan, double time) {
  if (plan.policy) budget.refuse("time", "real time depends on the machine; set rounds");
  if (!plan.clock)
    budget.refuse("time", fmt::format("method {} has no simulated clock; set rounds, or choose "
                                      "another one, favano for example",
                                      plan.method_name));
  const auto clock = plan.clock.make();
  TimedStep server_step;
  double steps = 0;
  for (clock->next(server_step); server_step.time <= time; clock->next(server_step))
    if (++steps > most_timed_steps)
      budget.refuse("time", fmt::format("more than {:g} server steps; lower it", most_timed_steps));
  if (steps < 1)
    budget.refuse("time",
                  fmt::format("the first server step ends at {:g}; raise it", server_step.time));
  return steps;
}

}  // namespace

void BudgetPlan::read(Reader& r) {
  r("upload", upload,
    "upload of a client in the whole run, such as \"1MB\", which sets rounds: mean over the "
    "clients, in expectation over participation (docs/reference/sweep-files.md, \"The budget of bits\"); empty = "
    "no limit");
  r("download", download,
    "download of a client in the whole run, counted in the same way; with both, the smaller "
    "number of rounds");
  r("time", time, {.low = 0, .low_open = true, .unit = simulated_time},
    "simulated time of the run, for methods on the clock: sets rounds to the server steps that "
    "end by then");
}

std::uint64_t handed_out_by(const Plan& plan) {
  if (plan.policy) return plan.policy->handed_out();
  return plan.clock ? plan.clock->handed_out() : 0;
}

BitsPerRound bits_per_round(const Plan& plan, unsigned real_bits) {
  if (plan.method.ends_differently || contacts_vary(plan)) return {unknown, unknown, unknown};
  const StateShape shape = plan.shape();
  const auto clients = static_cast<double>(plan.clients);
  const double share = plan.participants() / clients;
  const double up =
      shape.up == 0 ? 0 : static_cast<double>(plan.messages()) * bits_of(plan.compressor->layout());
  const double down = plan.down_compressor ? bits_of(plan.down_compressor->layout())
                                           : static_cast<double>(plan.values_down()) * real_bits;
  return {.up = share * up,
          .down = (plan.reaches_everyone() ? 1.0 : share) * down,
          .down_before = static_cast<double>(handed_out_by(plan)) / clients * down};
}

void apply_budget(Settings& experiment, Plan& plan) {
  Settings budget = experiment.section("budget");
  const auto given = read_options<BudgetPlan>(budget);
  if (given.upload.empty() && given.download.empty() && !given.time) return;
  constexpr std::array keys{"upload", "download", "time"};
  const Origin rounds_origin = experiment.origin("rounds");
  const auto is_asked_for = [&](const char* key) { return budget.origin(key).is_asked_for(); };
  if (rounds_origin.is_asked_for() && std::ranges::any_of(keys, is_asked_for))
    experiment.refuse("rounds", "a budget sets the number of rounds; leave one of them out");
  // The source with higher precedence counts: the command line over a file, and a file over its
  // base.
  const auto is_below = [&](const char* key) {
    return rounds_origin.lies_above(budget.origin(key));
  };
  if (!std::ranges::all_of(keys, is_below)) {
    double rounds = rounds_within_bits(budget, plan, given);
    if (given.time) rounds = std::min(rounds, steps_within(budget, plan, *given.time));
    plan.rounds = static_cast<long>(rounds);
    experiment.resolve("rounds", plan.rounds);
  }
  // The resolved configuration contains the rounds and no budgets, so that it does not contradict
  // itself.
  budget.resolve("upload", "");
  budget.resolve("download", "");
  budget.resolve("time", std::nullopt);
}

}  // namespace trilemma
