// The accountants, one call each; the reference is the contour integral where it converges quickly.
// Counters: relative width of the certified bounds, evaluations of a calibration.

#include <benchmark/benchmark.h>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/epsilon_curve.hpp"
#include "privacy/accountant/saddle_point.hpp"

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

void reference_saddle_point(benchmark::State& state, const Case& c) {
  Result result;
  for (auto _ : state) result = saddle_point_epsilon(composition(c), c.delta);
  benchmark::DoNotOptimize(result.value);
}

void calibration(benchmark::State& state, const Case& c) {
  Result result;
  for (auto _ : state) result = calibrate_noise(composition(c), 1.0, c.delta);
  state.counters["evaluations"] = result.evaluations;
}

// Epsilon after every number of rounds, as a run makes it at its start, and what it knows already.
struct Rounds {
  const char* name;
  Composition round;
  std::size_t rounds;
};
Composition sampled(double rate, double sigma, Relation relation = Relation::add_remove) {
  return {relation, {{Sampling::poisson, rate, sigma, 1}}};
}
const Rounds runs[] = {
    {"q=0.0157 z=1.1 T=100", sampled(0.0157, 1.1), 100},
    {"q=0.0157 z=1.1 T=1e3", sampled(0.0157, 1.1), 1000},
    {"q=0.0157 z=1.1 T=1e4", sampled(0.0157, 1.1), 10000},
    {"q=0.0157 z=1.1 T=1e4 replace_one", sampled(0.0157, 1.1, Relation::replace_one), 10000},
    {"q=0.001 z=10 T=1e5", sampled(0.001, 10), 100000},
    {"q=0.01 z=1 and all z=50 T=1e3",
     {Relation::add_remove, {{Sampling::poisson, 0.01, 1, 1}, {Sampling::none, 1, 50, 1}}},
     1000},
    {"gaussian z=20 T=1e4", {Relation::add_remove, {{Sampling::none, 1, 20, 1}}}, 10000},
    {"fixed_wor q=0.01 z=4 T=1e4",
     {Relation::replace_one, {{Sampling::fixed_wor, 0.01, 4, 1}}},
     10000}};

void curve(benchmark::State& state, const Rounds& r) {
  Composition all = r.round;
  for (auto& c : all.components) c.steps = static_cast<double>(r.rounds);
  const double known = epsilon(all, 1e-5).value;
  for (auto _ : state) {
    const EpsilonCurve curve(r.round, 1e-5, r.rounds, known);
    double sum = 0;
    for (std::size_t t = 1; t <= r.rounds; ++t) sum += curve.at(t);
    benchmark::DoNotOptimize(sum);
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const Case& c : cases) {
    auto add = [&c](const char* kind, void (*run)(benchmark::State&, const Case&)) {
      benchmark::RegisterBenchmark((std::string("privacy/") + kind + "/" + c.name).c_str(), run, c)
          ->Unit(benchmark::kMillisecond);
    };
    if (c.rate >= 0.01) add("reference: contour", reference_saddle_point);
    add("pld, bounds within 1e-3", pld);
    add("rdp", rdp);
    add("calibrate sigma to epsilon 1", calibration);
  }
  for (const Rounds& r : runs)
    benchmark::RegisterBenchmark((std::string("privacy/epsilon of every round/") + r.name).c_str(),
                                 curve, r)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace trilemma::bench
