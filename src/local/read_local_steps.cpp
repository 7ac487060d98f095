#include <algorithm>

#include "local/solver.hpp"

namespace trilemma {
namespace {

struct NamedUpdate {
  const char* name;
  Update update;
};
constexpr NamedUpdate updates[] = {{"sum", Update::sum},
                                   {"mean", Update::mean},
                                   {"difference", Update::difference},
                                   {"own", Update::own}};

std::string name_of(Update update) {
  for (const auto& named : updates)
    if (named.update == update) return named.name;
  return "";
}

void read_update(Settings& local, const StepDefaults& defaults, LocalSteps& steps) {
  const std::string update = local.choice(
      "update", name_of(defaults.update), {"sum", "mean", "difference", "own"},
      "client update: sum or mean of the gradients along the local steps, difference between the "
      "models of the server and the client, or difference to the client's own earlier model");
  for (const auto& named : updates)
    if (named.name == update) steps.update = named.update;
  if (steps.update == Update::own && !steps.is_personal())
    local.refuse("update", "clients of this method have no models of their own; choose difference");
  if (steps.is_personal() && (steps.update == Update::sum || steps.update == Update::mean))
    local.refuse("update", "clients with models of their own send differences; choose difference");
}

// Refuses settings that ask for minibatches, which would otherwise be unread, where every step
// takes all records.
void check_minibatches(const Settings& local, const std::string& solver,
                       const StepDefaults& defaults) {
  const SolverKind& kind = row(solvers(), solver).make;
  const bool reads_neither = defaults.only_one && !defaults.is_timed;
  if (reads_neither || kind.uses_batch) return;
  const auto other = std::ranges::find_if(solvers(), [&](const Row<SolverKind>& row) {
    return row.make.family == kind.family && row.make.uses_batch;
  });
  const std::string why =
      fmt::format("asks for minibatches, but the solver {} takes none; set local.solver = \"{}\"",
                  solver, other->name);
  if (local.says("unit", "epoch")) local.refuse("unit", why);
  if (local.says("sampling", "shuffled")) local.refuse("sampling", why);
}

void read_directions(Settings& local, LocalSteps& steps) {
  if (steps.counts_epochs)
    local.refuse("unit",
                 "all clients send messages of the same length, local.steps times "
                 "local.perturbations, but their epochs differ in steps; choose step");
  constexpr double most = 1e6;
  steps.perturbations =
      local.integer("perturbations", 10, {.low = 1, .high = most},
                    "P: random directions in a step; clients send local.steps times P scalars");
  if (static_cast<double>(steps.scalars()) > most)
    local.refuse("perturbations",
                 fmt::format("{} numbers in a message, local.steps times it; at most {:g}",
                             steps.scalars(), most));
  steps.smoothing = local.number("smoothing", 1e-3, positive(),
                                 "mu: distance, in a direction, of the two losses of a difference");
}

}  // namespace

/// Reads the section `local`, with the defaults of the method. A bound of records never covers
/// several local steps, so no claim relies on how their minibatches are drawn.
LocalSteps read_local_steps(Settings local, const StepDefaults& defaults) {
  LocalSteps steps;
  steps.family = row(solvers(), defaults.solver).make.family;
  steps.pull = defaults.pull;
  steps.update = defaults.update;
  std::vector<SettingChoice> solvers_here;
  for (const auto& row : solvers())
    if (row.make.family == steps.family &&
        !((defaults.only_one || defaults.is_timed) && row.make.is_pass))
      solvers_here.push_back({row.name, row.summary});
  steps.solver = local.choice_of("solver", defaults.solver, solvers_here,
                                 "solver that takes the local steps of a client");
  steps.is_pass = row(solvers(), steps.solver).make.is_pass;
  if (!defaults.is_timed && !defaults.only_one) steps.minibatches = one_epoch;
  const bool is_zeroth_order = steps.family == SolverFamily::zeroth_order;
  if (is_zeroth_order) steps.minibatches = one_minibatch;
  const bool takes_minibatches = row(solvers(), steps.solver).make.uses_batch && !steps.is_pass;
  const bool is_one_epoch =
      takes_minibatches && steps.minibatches.counts_epochs && !local.has("steps");
  if (!steps.is_pass && !defaults.only_one)
    steps.count = local.integer(
        "steps",
        is_zeroth_order                               ? one_minibatch.steps
        : is_one_epoch && !local.says("unit", "step") ? one_epoch.steps
                                                      : single_minibatches.steps,
        {.low = 1, .high = 1e6, .unit = "steps"},
        "E: number of local steps in a round, or of epochs if local.unit is epoch; default: 1 "
        "epoch where steps use minibatches, otherwise 20 steps; 1 step for zeroth-order methods");
  check_minibatches(local, steps.solver, defaults);
  if (defaults.is_timed || (!defaults.only_one && local.when(takes_minibatches)))
    steps.counts_epochs =
        local.choice("unit", is_one_epoch ? "epoch" : "step", {"step", "epoch"},
                     "what local.steps and the clock count: minibatches, or epochs of "
                     "ceil(records / batch) minibatches; default: epoch for synchronous methods "
                     "if local.steps is not set, otherwise step") == "epoch";
  steps.rate = read_decay(
      local, local.number("rate", defaults.rate, positive(),
                          defaults.divides_rate
                              ? "gamma: local step size of a whole pass; each step has its share"
                              : "eta: local step size"));
  steps.divides_rate = defaults.divides_rate;
  if (steps.family == SolverFamily::additive)
    steps.personal_ratio = local.number(
        "personal_ratio", 1.0, at_least(0),
        "rho: step size of the client's own part, relative to that of the common part");
  if (is_zeroth_order) read_directions(local, steps);
  if (defaults.is_fixed) return steps;
  steps.pull = local.number("pull", defaults.pull, at_least(0),
                            "pull of each step to the model of the round: mu of FedProx, lambda of "
                            "PMTL");
  read_update(local, defaults, steps);
  return steps;
}

}  // namespace trilemma
