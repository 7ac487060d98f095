// What is read of the section `local` (src/local/read_local_steps.cpp, rate.hpp).

#include <gtest/gtest.h>

#include <cmath>

#include "local/solver.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::local_steps_test {

LocalSteps read(const std::string& toml, const StepDefaults& defaults = {}) {
  return read_local_steps(Settings::from_text(toml, "local.toml"), defaults);
}
std::string refused(const std::string& toml, const StepDefaults& defaults = {}) {
  return testing::refusal([&] { read(toml, defaults); });
}

// [NORM] appendix G: 0.99^k eta_0.
TEST(Rate, FallsGeometrically) {
  const Rate rate{.first = 0.064, .decay = 0.99};
  EXPECT_EQ(rate.at(0), 0.064);
  EXPECT_DOUBLE_EQ(rate.at(1), 0.064 * 0.99);
  EXPECT_DOUBLE_EQ(rate.at(200), 0.064 * std::pow(0.99, 200));
  EXPECT_NEAR(rate.at(200) / 0.064, 0.134, 5e-4);
}

// [PMTL]: halved every 200 rounds.
TEST(Rate, FallsInSteps) {
  const Rate rate{.first = 0.1, .decay = 0.5, .every = 200};
  for (const std::uint32_t round : {0U, 199U}) EXPECT_EQ(rate.at(round), 0.1);
  for (const std::uint32_t round : {200U, 399U}) EXPECT_EQ(rate.at(round), 0.05);
  EXPECT_EQ(rate.at(400), 0.025);
}

TEST(Rate, StaysWithoutDecay) {
  EXPECT_EQ((Rate{.first = 0.3}).at(0), 0.3);
  EXPECT_EQ((Rate{.first = 0.3}).at(4'000'000'000U), 0.3);
}

TEST(LocalSteps, Defaults) {
  const LocalSteps steps = read("", {.rate = 0.2, .pull = 0.3, .update = Update::sum});
  EXPECT_EQ(steps.solver, "gd");
  EXPECT_EQ(steps.count, 20);  // E of [NORM]
  EXPECT_EQ(steps.rate.at(7), 0.2);
  EXPECT_EQ(steps.pull, 0.3);
  EXPECT_EQ(steps.update, Update::sum);
  EXPECT_EQ(read("", {.only_one = true}).count, 1);
}

TEST(LocalSteps, AsGiven) {
  const LocalSteps steps = read(
      "solver = \"sgd\"\nsteps = 7\nrate = 0.4\nrate_decay = 0.5\nrate_decay_every = 2\npull = 3.0\n"
      "update = \"mean\"");
  EXPECT_EQ(steps.solver, "sgd");
  EXPECT_EQ(steps.count, 7);
  EXPECT_EQ(steps.rate.at(5), 0.1);
  EXPECT_EQ(steps.pull, 3);
  EXPECT_EQ(steps.update, Update::mean);
}

TEST(LocalSteps, AWholePassSharesItsRate) {
  const LocalSteps steps = read("rate = 0.4", {.divides_rate = true});
  EXPECT_EQ(steps.step_rate(0, 8), 0.05);
  EXPECT_EQ(read("rate = 0.4").step_rate(0, 8), 0.4);
}

TEST(LocalSteps, WrongValuesAreRefused) {
  for (const char* toml : {"steps = 0", "steps = 1.5", "rate = 0", "rate = -0.1", "rate = nan",
                           "rate_decay = 0.0", "rate_decay = 1.5", "rate_decay_every = 0",
                           "pull = -1.0", "update = \"sums\"", "solver = \"adam\""}) {
    const std::string key = std::string(toml).substr(0, std::string(toml).find(' '));
    testing::expect_parts(refused(toml), {"local.toml:1", key});
  }
}

// Some words have no meaning for some clients.
TEST(LocalSteps, WordsOfOtherMethodsAreRefused) {
  const StepDefaults personal{.solver = "personal-gd"};
  testing::expect_parts(refused("update = \"own\""), {"local.toml:1", "update", "difference"});
  for (const char* update : {"update = \"sum\"", "update = \"mean\""})
    testing::expect_parts(refused(update, personal), {"local.toml:1", "update", "difference"});
  testing::expect_parts(refused("solver = \"gd\"", personal), {"solver", "personal-gd"});
  testing::expect_parts(refused("solver = \"personal-gd\""), {"solver", "cyclic"});
  testing::expect_parts(refused("solver = \"cyclic\"", {.only_one = true}), {"solver", "gd"});
}

}  // namespace trilemma::local_steps_test
