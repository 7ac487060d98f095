#include "experiment/plan.hpp"

#include "compress/compressor.hpp"
#include "schedule/simulated_clock.hpp"

namespace trilemma {

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

}  // namespace trilemma
