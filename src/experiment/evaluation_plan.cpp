#include "experiment/evaluation_plan.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace trilemma {
namespace {

void check_list(const Settings& evaluate, const EvaluationPlan& plan, long rounds) {
  if (std::adjacent_find(plan.at.begin(), plan.at.end(), std::greater_equal()) != plan.at.end())
    evaluate.refuse("at", "the rounds do not ascend; sort them and name each once");
  if (!plan.at.empty() && plan.at.back() > rounds)
    evaluate.refuse("at", fmt::format("the run has {} only; lower the last ones, or raise rounds",
                                      counted(static_cast<std::size_t>(rounds), "round")));
}

}  // namespace

bool EvaluationPlan::is_due(long done) const {
  if (!at.empty()) return std::binary_search(at.begin(), at.end(), done);
  return every > 0 && done % every == 0;
}

void EvaluationPlan::read(Reader& r) {
  const bool asks_for_every = r.settings().origin("every").is_asked_for();
  const bool asks_for_at = r.settings().origin("at").is_asked_for();
  if (r.when(r.has("at") && (asks_for_at || !asks_for_every)))
    r("at", at, {.low = 1, .high = 4e9},
      "evaluate after these numbers of rounds, such as [5, 22, 86] or \"5-22-86\", instead of "
      "evaluate.every");
  if (!at.empty() && r.has("every") && (asks_for_every || !asks_for_at))
    r.refuse("at", "evaluate.every is set too; give one of the two");
  if (at.empty())
    r("every", every, {.low = 0, .unit = "rounds"},
      "rounds between two evaluations; 0 = only at the start and end");
  r("objective", objective,
    "the objective and its gradient, over all training records; false = test scores only, which "
    "is faster");
  r("optimum", optimum, "compute the minimum of the objective, if it has a closed form");
}

EvaluationPlan read_evaluation(const Settings& experiment, long rounds, long nodes) {
  Settings evaluate = experiment.section("evaluate");
  auto plan = read_options<EvaluationPlan>(evaluate);
  check_list(evaluate, plan, rounds);
  if (!evaluate.when(nodes > 0)) return plan;
  plan.nodes = evaluate
                   .integer_or("nodes", 0L, "all", {.low = 0, .high = 1e6},
                               "decentralised methods: number of nodes, drawn once, whose own "
                               "models are evaluated in addition to their mean; all = every node")
                   .value_or(nodes);
  if (plan.nodes > nodes && nodes > 0)
    evaluate.refuse("nodes", fmt::format("there are {} only; lower it, or set \"all\"",
                                         counted(static_cast<std::size_t>(nodes), "node")));
  return plan;
}

}  // namespace trilemma
