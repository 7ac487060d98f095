// SCAFFOLD and its form for whole clients, as whole experiments (src/method/scaffold.cpp,
// src/local/scaffold_solver.cpp; Karimireddy et al. 2020; quadratics of spec algorithms.md 1.6).

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/claim.hpp"
#include "numeric/lanes.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/mean_estimation.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::scaffold_test {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

constexpr double tolerance = 200 * testing::rounding;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Vector model(const Federation& f) {
  const auto d = static_cast<std::ptrdiff_t>(f.plan.problem->dimension());
  return {f.x().begin(), f.x().begin() + d};
}
Vector control(const Federation& f) {
  const auto d = static_cast<std::ptrdiff_t>(f.plan.problem->dimension());
  return {f.x().begin() + d, f.x().end()};
}
Vector control_of(const Federation& f, std::size_t slot) {
  Bytes bytes;
  State saving = State::saving(bytes);
  f.parts.work->persist(slot, saving);
  Vector control;
  State reading = State::restoring(bytes);
  reading.values(control);
  reading.finish();
  return control;
}

// Two rounds on 0.5 (w - a)^2 with two steps of 1/4 by hand: first without controls, then with.
TEST(ScaffoldSolver, TwoRoundsByHand) {
  const auto mean = testing::make_problem("mean", {1, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{2}});
  testing::ScriptedSampler unused;
  const auto solver = testing::make_solver("scaffold-gd", problem, {shards.data()}, unused,
                                           {.count = 2, .rate = 0.25});
  solver->start(Vector{0, 0});
  const Vector from{10, 0};
  const Vector with_control{10, 3};
  Vector out(2);
  const auto bound = row(bounds(), "none");
  Settings none = Settings::empty();
  const auto free = bound.make(none);
  // y: 10 -> 8 -> 6.5; c_i+ = 0 - 0 + 3.5 / 0.5 = 7.
  solver->estimate(0, {from, {1, Purpose::minibatch, 0, 0}}, out);
  EXPECT_NEAR(out[0], 3.5, tolerance);
  EXPECT_NEAR(out[1], 0.5 * (0 - 7), tolerance);
  solver->absorb(0, {Support::all(), out});
  // With c = 3: the drift is 3 - 7 = -4. y: 10 -> 10 - (8 - 4)/4 = 9 -> 9 - (7 - 4)/4 = 8.25;
  // c_i+ = 7 - 3 + 1.75 / 0.5 = 7.5.
  solver->estimate(0, {with_control, {1, Purpose::minibatch, 0, 1}}, out);
  EXPECT_NEAR(out[0], 1.75, tolerance);
  EXPECT_NEAR(out[1], 0.5 * (7 - 7.5), tolerance);
}

// All controls are 0 in the first round.
TEST(Scaffold, TheFirstRoundIsFedAvg) {
  for (const Words& who :
       {Words{}, Words{"participation.kind=fixed-size", "participation.size=2"}}) {
    const Words common = with({"local.steps=4", "local.rate=0.2"}, who);
    Federation scaffold(tiny_experiment, with(common, {"method=scaffold"}));
    Federation fedavg(tiny_experiment, with(common, {"method=fedavg", "local.solver=gd"}));
    scaffold.round();
    fedavg.round();
    EXPECT_EQ(model(scaffold), fedavg.x());
    scaffold.round();
    fedavg.round();
    EXPECT_NE(model(scaffold), fedavg.x());
  }
}

// The server's control is the mean of the clients', whoever takes part and whatever a bound cuts
// off, as long as there is no noise.
TEST(Scaffold, TheControlIsTheMeanOfTheClients) {
  for (const Words& words :
       {Words{"method=scaffold"},
        Words{"method=scaffold", "participation.kind=fixed-size", "participation.size=2"},
        Words{"method=scaffold", "local.rate_decay=0.5", "local.solver=scaffold-sgd"},
        Words{"method=scaffold", "local.solver=scaffold-sgd", "local.unit=epoch"},
        Words{"method=dp-scaffold", "privacy.sigma=0", "bound.threshold=0.1"},
        Words{"method=scaffold", "compressor.kind=rand-k", "compressor.k=3"},
        Words{"method=scaffold", "compressor.kind=qsgd"},
        Words{"method=dp-scaffold", "privacy.sigma=0", "bound.threshold=0.1",
              "compressor.kind=perm-k"}}) {
    Federation f(tiny_experiment, with(words, {"local.steps=3", "local.rate=0.2"}));
    f.run(5);
    const Vector c = control(f);
    EXPECT_GT(norm_squared(ConstView(c)), 0);
    for (std::size_t j = 0; j < c.size(); ++j) {
      double mean = 0;
      for (std::size_t slot = 0; slot < 4; ++slot)
        mean += static_cast<double>(control_of(f, slot)[j]) / 4;
      EXPECT_NEAR(c[j], mean, 20 * tolerance) << words.back();
    }
  }
}

// The private form without noise and with a bound that nothing reaches.
TEST(Scaffold, WithoutPrivacyThePrivateFormIsScaffold) {
  const Words steps{"local.steps=4", "local.rate=0.2"};
  const Vector plain = testing::run_tiny(with(steps, {"method=scaffold"}));
  const Words off{"method=dp-scaffold", "privacy.sigma=0"};
  EXPECT_EQ(testing::run_tiny(with(with(steps, off), {"bound.threshold=1e9"})), plain);
  EXPECT_NE(testing::run_tiny(with(with(steps, off), {"bound.threshold=0.1"})), plain);
}

// Whole messages are bounded, of both halves together; noise falls on both halves of the mean.
TEST(Scaffold, TheBoundAndTheNoiseAreThoseOfBothHalves) {
  Federation calm(tiny_experiment, {"method=dp-scaffold", "privacy.sigma=0"});
  Federation noisy(tiny_experiment, {"method=dp-scaffold", "privacy.sigma=0.05"});
  EXPECT_EQ(calm.plan.compressor->layout().dimension, 2 * calm.plan.problem->dimension());
  EXPECT_DOUBLE_EQ(releases(noisy.plan, 15).of_every_round().sensitivity.full, 0.5 / 4);
  calm.round();
  noisy.round();
  EXPECT_LE(calm.noted().number("mean_norm"), 0.5 * (1 + tolerance));
  EXPECT_GT(noisy.noted().number("noise_norm"), 0);
  for (std::size_t j = 0; j < calm.x().size(); ++j) EXPECT_NE(calm.x()[j], noisy.x()[j]) << j;
}

const char* const quadratics = R"(
clients = 6
method = "scaffold"
[data]
source = "quadratics"
functions = 6
features = 4
rank = 4
scale = 0.5
[local]
steps = 10
rate = 0.1
[evaluate]
optimum = true
[wire]
value = "float64"
)";

double suboptimality(const std::string& method, std::uint32_t rounds) {
  Federation f(quadratics, {"method=" + method});
  f.run(rounds);
  return f.evaluate().objective - f.parts.optimum->value;
}

// Clients that differ pull local steps to their own minima: FedAvg with several steps stalls away
// from the optimum, SCAFFOLD with all clients reaches it.
TEST(Scaffold, ReachesTheOptimumWhereFedAvgStalls) {
  const double start = suboptimality("fedavg", 0);
  const double stalled = suboptimality("fedavg", 1500);
  EXPECT_NEAR(stalled, suboptimality("fedavg", 3000), 0.02 * stalled);
  EXPECT_GT(stalled, 1e-4 * start);
  EXPECT_LT(suboptimality("scaffold", 1500), 1e-2 * stalled);
}

}  // namespace trilemma::scaffold_test
