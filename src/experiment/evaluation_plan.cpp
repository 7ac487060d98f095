#include "experiment/evaluation_plan.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace trilemma {
namespace {

void read_every(Settings& evaluate, EvaluationPlan& plan) {
  plan.every = evaluate.integer("every", 1, at_least(0),
                                "evaluate every so many rounds; 0 = at the start and end only");
}

void read_list(Settings& evaluate, EvaluationPlan& plan) {
  plan.at = evaluate.integers("at", {}, {.low = 1, .high = 4e9},
                              "evaluate after these numbers of rounds, as [5, 22, 86] or "
                              "\"5-22-86\", in place of evaluate.every");
}

void read_metrics(Settings& evaluate, EvaluationPlan& plan) {
  plan.objective = evaluate.flag("objective", true,
                                 "the objective and its gradient, over all training records; "
                                 "false = test scores only, which is faster");
  plan.optimum = evaluate.flag("optimum", false,
                               "find the minimum of the objective, where it has a closed form");
}

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

EvaluationPlan read_evaluation(const Settings& experiment, long rounds) {
  Settings evaluate = experiment.section("evaluate");
  EvaluationPlan plan;
  const bool every_wins = evaluate.commanded("every") && !evaluate.commanded("at");
  if (evaluate.has("at") && !every_wins) read_list(evaluate, plan);
  const bool at_wins = evaluate.commanded("at") && !evaluate.commanded("every");
  if (!plan.at.empty() && evaluate.has("every") && !at_wins)
    evaluate.refuse("at", "evaluate.every is set too; give one of the two");
  check_list(evaluate, plan, rounds);
  if (plan.at.empty()) read_every(evaluate, plan);
  read_metrics(evaluate, plan);
  return plan;
}

void declare_evaluation(const Settings& experiment) {
  Settings evaluate = experiment.section("evaluate");
  EvaluationPlan plan;
  read_every(evaluate, plan);
  read_list(evaluate, plan);
  read_metrics(evaluate, plan);
}

}  // namespace trilemma
