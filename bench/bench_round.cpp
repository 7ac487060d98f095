// One whole round of ten clients in one process, every method of the table, on data of a9a's shape;
// with and without phase timing.

#include "bench/support.hpp"

namespace trilemma::bench {
namespace {

void whole_round(benchmark::State& state, const std::string& method, bool timing) {
  Plan plan = a9a_plan(method);
  Assembly parts = assemble(plan, {.clients = 10}, "");
  const auto exchange = make_in_process_exchange(10);
  Round round(plan, parts, *exchange);
  PhaseTimer timer(timing);
  std::uint32_t t = 0;
  for (auto _ : state) round.run(t++, timer);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 10);
}

const bool registered = [] {
  for (const auto& method : methods()) {
    const std::string name = method.name;
    benchmark::RegisterBenchmark(("round/" + name).c_str(), whole_round, name, true);
  }
  benchmark::RegisterBenchmark("round/soteriafl-sgd, phases not timed", whole_round,
                               "soteriafl-sgd", false);
  return true;
}();

}  // namespace
}  // namespace trilemma::bench
