// What a run will take, in words: by hand from its work and the time of a gradient.

#include "run/cost.hpp"

#include <gtest/gtest.h>

#include "tests/support/federation.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::cost_test {

TEST(Cost, IsSaidOfLongRuns) {
  // 192,000 gradients of 5 ms are 960 s; one of 1e8 multiply-adds in the loss has 3e8.
  const RunCost cost{.gradients = 180'000, .evaluations = 12'000, .products = 1e8, .seconds = 5e-3};
  EXPECT_EQ(cost.duration(), 960);
  EXPECT_EQ(
      in_words(cost),
      "about 16 minutes on 1 hosting rank: 1.92e+05 gradients of records of 3e+08 multiply-adds, "
      "5 ms each on this machine, 120 GFLOP/s; test scores and communication come on top");
  RunCost shared = cost;
  shared.hosts = 2;
  EXPECT_EQ(in_words(shared), "");  // 480 s
  shared.products = 0;
  shared.gradients *= 1000;
  EXPECT_EQ(
      in_words(shared),
      "about 5 days on 2 hosting ranks: 1.8e+08 gradients of records, 5 ms each on this machine; "
      "test scores and communication come on top");
}

// Contacts interrupt local steps, so that there are fewer than participants times steps.
TEST(Cost, CountsTheLocalStepsOnTheClock) {
  testing::Federation run(
      testing::tiny_experiment,
      {"method=favano", "participation.kind=fixed-size", "participation.size=2", "local.steps=20",
       "local.sampling=without-replacement", "local.batch=5", "rounds=60"});
  for (int t = 0; t < 60; ++t) run.round();
  const auto drawn = static_cast<double>(run.noted().count("batch_records"));
  EXPECT_NEAR(work_of(run.plan, run.parts, run.place).gradients, drawn, 1e-6);
  EXPECT_LT(drawn, 60 * 2 * 20 * 5 / 2);
}

TEST(Cost, CountsTheProductsOfLeNet) {
  const auto lenet = testing::make_problem("layers", {3072, 10}, "layers = \"lenet5\"");
  EXPECT_EQ(lenet->products(),
            6 * 75 * 28 * 28 + 16 * 150 * 10 * 10 + 400 * 120 + 120 * 84 + 84 * 10);
}

}  // namespace trilemma::cost_test
