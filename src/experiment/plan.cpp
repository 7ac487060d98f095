#include "experiment/plan.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "compress/compressor.hpp"
#include "exchange/downlink.hpp"
#include "exchange/uplink.hpp"
#include "schedule/simulated_clock.hpp"

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

void Plan::choose_schedule() {
  schedule = Choice<Schedule>([make = make_schedule, seed = seed,
                               n = static_cast<std::uint32_t>(clients)] { return make(seed, n); });
}

void Plan::choose_graph() {
  if (!is_decentralised()) return;
  const auto nodes = static_cast<std::uint32_t>(clients);
  graph = std::make_shared<Graph>(nodes, graph_options.edges(nodes, seed), graph_options.weights);
}

void Plan::choose_clock() {
  const Asynchrony& asynchrony = method.asynchrony;
  if (!asynchrony.policy) return;
  const PolicySetup setup{seed, static_cast<std::uint32_t>(clients), schedule,
                          static_cast<std::uint32_t>(rounds)};
  if (asynchrony.clock)
    clock = Choice<StepSequence>([asynchrony, setup] { return simulated(asynchrony, setup); });
  else
    policy = Choice<AsyncPolicy>([make = asynchrony.policy, setup] { return make(setup); });
}

void Plan::choose_compressor() {
  compressor =
      Choice<Compressor>([make = make_compressor, d = shape().up, format = value_format,
                          whole = method.whole_probability]() -> std::unique_ptr<Compressor> {
        auto made = make(d, format);
        return whole ? marina_switch(std::move(made), *whole) : std::move(made);
      });
}

void Plan::choose_down_compressor() {
  if (!make_down_compressor) return;
  down_compressor = Choice<Compressor>(
      [make = make_down_compressor, d = shape().down] { return make(d, ValueFormat::float32); });
}

void Plan::choose_finetuning() {
  finetuning = Choice<Finetuning>(
      [make = make_finetuning, seed = seed, problem = problem] { return make(seed, *problem); });
}

Plan Plan::with(const PlanChange& change) const {
  Plan plan = *this;
  plan.seed = change.seed.value_or(seed);
  plan.clients = change.clients.value_or(clients);
  if (change.problem) plan.problem = change.problem;
  if (change.schedule) plan.make_schedule = change.schedule;
  if (change.compressor) plan.make_compressor = change.compressor;
  if (change.seed || change.clients || change.schedule) {
    plan.choose_schedule();
    plan.choose_graph();
    plan.choose_clock();
  }
  if (change.compressor || plan.shape().up != shape().up) plan.choose_compressor();
  if (plan.shape().down != shape().down) plan.choose_down_compressor();
  if (change.seed || change.problem) plan.choose_finetuning();
  return plan;
}

bool Plan::reaches_everyone() const {
  return memory->traits.works_without_sending || row(downlinks(), downlink).make.reaches_everyone;
}

std::size_t Plan::values_down() const {
  const bool are_scalars = row(downlinks(), downlink).make.carries == Carries::scalars;
  return are_scalars ? shape().up : shape().down;
}

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

UplinkChoice uplink_of(const Plan& plan, long ranks, long hosts, long nodes) {
  if (plan.uplink != automatic) return {.uplink = plan.uplink, .facts = {}};
  const Layout layout = plan.compressor->layout();
  const StateShape shape = plan.shape();
  // Where all clients send the same coordinates, only these are summed (exchange/reduce.cpp).
  const bool is_aligned = plan.compressor->traits().is_shared && shape.stride == 0;
  const double number = layout.value == ValueFormat::float64 ? 2 * sizeof(double) : sizeof(double);
  return automatic_uplink(
      {.ranks = ranks,
       .nodes = nodes,
       .messages = plan.participants() / static_cast<double>(nodes > 1 ? nodes : hosts),
       .message_bytes = static_cast<double>(layout.bytes()),
       .sum_bytes = number * static_cast<double>(is_aligned ? layout.count : shape.sum()),
       .is_strict = plan.privacy.strict});
}

bool sends_sums(const std::string& uplink) { return row(uplinks(), uplink).make.sums_on_ranks; }

bool take_recorded_uplink(Plan& plan, const std::string& recorded) {
  if (!recorded.empty()) plan.uplink = recorded;
  return is_uplink(plan.uplink);
}

}  // namespace trilemma
