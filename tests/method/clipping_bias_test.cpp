// Why error memories are there: three clients with f_i(x) = 0.5 (x - a_i)^2, a = (0, 0, 3), all
// taking part, one local step, no noise (spec algorithms.md 1.6). The optimum is 1.

#include <gtest/gtest.h>

#include <cmath>

#include "memory/memory.hpp"
#include "method/method.hpp"
#include "tests/support/mean_estimation.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/stubs.hpp"

namespace trilemma::clipping_bias_test {

// x of a method after each of the rounds, with its own parts wired without noise and wire.
std::vector<double> trajectory(const std::string& name, const std::string& toml, int rounds) {
  const auto shards = testing::one_record_each({{0}, {0}, {3}});
  Settings settings = Settings::from_text(toml, "method.toml");
  const Method m = row(methods(), name).make(settings);
  Settings bound_settings = settings.section("bound");
  const auto bound = row(bounds(), m.bound).make(bound_settings);
  const auto mean = testing::make_problem("mean", {1, 0}, "");
  Problem& problem = *mean;
  testing::ScriptedSampler unused;
  const auto work = testing::make_solver(
      "gd", problem, {&shards[0], &shards[1], &shards[2]}, unused,
      {.count = m.steps.count, .rate = m.steps.rate.first, .update = m.steps.update});
  const MemoryKind& kind = row(memories(), m.memory).make;
  const auto memory = kind.client(3, 1, m.memory_step.value_or(1));
  const auto server = kind.server(1, m.memory_step.value_or(1));
  const auto step = m.step.make();
  Vector x{2};
  std::vector<double> path;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> mean{0};
    for (std::size_t slot = 0; slot < 3; ++slot) {
      Vector u = testing::estimate(*work, x, static_cast<std::uint32_t>(round), slot);
      memory->before_bound(slot, u);
      const Bounded bounded = bound->apply(u);
      memory->take_in_bounded(slot, {Support::all(), bounded.values()});
      mean[0] += static_cast<double>(bounded.values()[0]) / 3;
    }
    server->restore(mean);
    step->apply(static_cast<std::uint32_t>(round), x, mean);
    path.push_back(static_cast<double>(x[0]));
  }
  return path;
}

double farthest_from(const std::vector<double>& path, double point) {
  double most = 0;
  for (std::size_t k = path.size() - 200; k < path.size(); ++k)
    most = std::max(most, std::abs(path[k] - point));
  return most;
}

// 2x - 0.5 = 0.
TEST(ClippingBias, ClippingStopsAtAQuarter) {
  const auto path = trajectory("dp-fedavg-clip",
                               "[local]\nsteps = 1\nrate = 0.05\n[bound]\nthreshold = 0.5", 2000);
  EXPECT_LT(farthest_from(path, 0.25), 1e-4);
}

// Two of three unit vectors outvote the third: it chatters around 0 by at most beta C.
TEST(ClippingBias, NormalisingChattersAroundTheMajority) {
  const auto path = trajectory("dp-normfedavg",
                               "[local]\nsteps = 1\nrate = 0.05\n[bound]\nthreshold = 0.5", 2000);
  EXPECT_LT(farthest_from(path, 0), 0.05 * 0.5);
}

// To a neighbourhood of the optimum that shrinks with the step.
TEST(ClippingBias, ErrorFeedbackFindsTheOptimum) {
  auto distance = [](const char* rate) {
    return farthest_from(
        trajectory("alpha-normec", fmt::format("[memory]\nstep = 0.01\n[server]\nrate = {}", rate),
                   40'000),
        1);
  };
  EXPECT_LT(distance("0.01"), 0.05);
  EXPECT_LT(distance("0.001"), 0.005);
}

}  // namespace trilemma::clipping_bias_test
