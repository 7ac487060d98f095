// The accountants, one call each; the reference is the contour integral where it converges quickly.
// Counters: relative width of the certified bounds, evaluations of a calibration.

#include <benchmark/benchmark.h>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/contour.hpp"

namespace trilemma::bench {
namespace {

using namespace accounting;

struct Case {
  const char* name;
  double rate, sigma, steps, delta;
};
constexpr Case cases[] = {
    {"q=0.01 z=1 T=1e3", 0.01, 1, 1e3, 1e-5},      {"q=0.01 z=50 T=1e5", 0.01, 50, 1e5, 1e-9},
    {"q=0.05 z=20 T=1e5", 0.05, 20, 1e5, 1e-7},    {"q=0.001 z=10 T=1e5", 0.001, 10, 1e5, 1e-5},
    {"q=0.001 z=1 T=1e5", 0.001, 1, 1e5, 1e-6},    {"q=0.0001 z=1 T=1e5", 1e-4, 1, 1e5, 1e-8},
    {"q=0.0001 z=0.5 T=1e5", 1e-4, 0.5, 1e5, 1e-8}};

Composition composition(const Case& c) {
  return {Relation::add_remove, {{Sampling::poisson, c.rate, c.sigma, c.steps}}};
}

void pld(benchmark::State& state, const Case& c) {
  const Effort effort{.tolerance = 1e-3};
  Result result;
  for (auto _ : state) result = pld_epsilon(composition(c), c.delta, effort);
  state.counters["width"] = 1 - result.lower / result.value;
}

void rdp(benchmark::State& state, const Case& c) {
  Result result;
  for (auto _ : state) result = renyi_epsilon(composition(c), c.delta);
  benchmark::DoNotOptimize(result.value);
}

void reference_contour(benchmark::State& state, const Case& c) {
  Result result;
  for (auto _ : state) result = contour_epsilon(composition(c), c.delta);
  benchmark::DoNotOptimize(result.value);
}

void calibration(benchmark::State& state, const Case& c) {
  Result result;
  for (auto _ : state) result = calibrate_noise(composition(c), 1.0, c.delta);
  state.counters["evaluations"] = result.evaluations;
}

[[maybe_unused]] const bool registered = [] {
  for (const Case& c : cases) {
    auto add = [&c](const char* kind, void (*run)(benchmark::State&, const Case&)) {
      benchmark::RegisterBenchmark((std::string("privacy/") + kind + "/" + c.name).c_str(), run, c)
          ->Unit(benchmark::kMillisecond);
    };
    if (c.rate >= 0.01) add("reference: contour", reference_contour);
    add("pld, bounds within 1e-3", pld);
    add("rdp", rdp);
    add("calibrate sigma to epsilon 1", calibration);
  }
  return true;
}();

}  // namespace
}  // namespace trilemma::bench
