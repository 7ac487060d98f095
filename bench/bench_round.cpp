// One whole round of ten clients in one process, every method of the table, on data of a9a's shape;
// with and without phase timing.

#include "bench/support.hpp"
#include "driver/driver.hpp"

namespace trilemma::bench {
namespace {

void whole_round(benchmark::State& state, const std::string& method, bool timing) {
  Plan plan = a9a_plan(method);
  const Placement place{.clients = 10};
  Assembly parts = assemble(plan, place, "");
  Ranks ranks(place);
  const auto driver = make_driver({plan, parts, ranks, place});
  PhaseTimer timer(timing);
  for (auto _ : state) driver->run_until(driver->step() + 1, timer);
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
