// Reading an experiment (src/experiment/plan.hpp): parts chosen, defaults, the resolved file reads
// as itself.

#include <gtest/gtest.h>

#include <algorithm>

#include "experiment/read_plan.hpp"
#include "experiment/words.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::plan_test {

Plan tiny(const std::vector<std::string>& overrides) {
  return read_plan(Settings::from_text(testing::tiny_experiment, "e.toml", overrides));
}

TEST(Plan, PartsOfAMethod) {
  const Plan plan = tiny({"method=soteriafl-svrg"});
  EXPECT_EQ(plan.method_name, "soteriafl-svrg");
  EXPECT_EQ(plan.clients, 4);
  EXPECT_EQ(plan.problem->dimension(), 16U);
  EXPECT_TRUE(plan.estimator.uses_snapshot);
  EXPECT_FALSE(plan.snapshot_probability.has_value());  // batch/records
  EXPECT_FALSE(plan.memory_step.has_value());           // theory
  EXPECT_STREQ(plan.sampler->name(), "poisson");
  EXPECT_EQ(plan.bound->record_threshold(), 0.5);
  EXPECT_EQ(plan.compressor->layout().count, 4U);
  EXPECT_EQ(*plan.privacy.sigma, 0.05);
}

// Local steps between two rounds are by default an epoch of shuffled minibatches, if they take
// minibatches at all; a claim about records keeps the sampler of its theorem.
TEST(Plan, DefaultsOfLocalWork) {
  const auto words = [](std::vector<std::string> overrides) {
    return local_work_in_words(read_plan(Settings::from_text("", "e.toml", overrides)));
  };
  const std::string sigma = "privacy.sigma=1", epoch = "1 epoch of minibatches of 32 (shuffled)";
  for (const char* method : {"fedavg", "fedprox", "dp-fedavg-clip", "dp-normfedavg"}) {
    std::vector<std::string> overrides{std::string("method=") + method};
    if (method[0] == 'd') overrides.push_back(sigma);
    EXPECT_EQ(words(overrides), "sgd, " + epoch + ", rate 0.1") << method;
  }
  EXPECT_EQ(words({"method=scaffold"}), "scaffold-gd, 20 steps on all records, rate 0.1");
  EXPECT_EQ(words({"method=scaffold", "local.solver=scaffold-sgd"}),
            "scaffold-sgd, " + epoch + ", rate 0.1");
  EXPECT_EQ(words({"method=fedavg", "local.unit=step"}),
            "sgd, 20 steps on minibatches of 32 (shuffled), rate 0.1");
  EXPECT_EQ(words({"method=fedavg-timed"}),
            "sgd, 20 steps on minibatches of 51 (poisson), rate 0.5");
  EXPECT_EQ(words({"method=ldp-sgd", sigma}), "estimator sgd on minibatches of 51 (poisson)");
}

TEST(Plan, LocalWorkInWords) {
  const auto words = [](std::vector<std::string> overrides) {
    return local_work_in_words(tiny(overrides));
  };
  const std::string fedavg = "method=fedavg", sgd = "local.solver=sgd", batch = "local.batch=5";
  EXPECT_EQ(words({"method=gd"}), "estimator gd on all records");
  EXPECT_EQ(words({"method=soteriafl-saga", batch}),
            "estimator saga on minibatches of 5 (poisson)");
  EXPECT_EQ(words({fedavg, "local.solver=gd"}), "gd, 20 steps on all records, rate 0.1");
  EXPECT_EQ(words({fedavg, sgd, batch, "local.steps=1", "local.unit=epoch",
                   "local.sampling=shuffled", "local.rate_decay=0.5"}),
            "sgd, 1 epoch of minibatches of 5 (shuffled), rate 0.1, times 0.5 every round");
  EXPECT_EQ(
      words({fedavg, "local.solver=cyclic", "local.rate_decay=0.5", "local.rate_decay_every=3"}),
      "cyclic, a step for each record, rate 0.1, times 0.5 every 3 rounds");
  EXPECT_EQ(words({"method=dp-fedavg-smooth", "local.solver=gd", "local.steps=4"}),
            "gd, 4 steps on all records, rate 0.1 divided by the number of steps");
  const std::string cohort = "participation.size=2", drawn = "participation.kind=fixed-size";
  EXPECT_EQ(words({"method=favano", batch, cohort, drawn}),
            "sgd, up to 20 steps on minibatches of 5 (poisson), rate 0.5");
  EXPECT_EQ(words({"method=quafl", batch, cohort, drawn, "server.preset=code"}),
            "averaged-sgd, up to 20 steps on minibatches of 5 (poisson), rate 0.75");
}

TEST(Plan, MethodsWithoutASlotDoNotReadItsKeys) {
  const Plan gd = tiny({"method=gd"});
  EXPECT_FALSE(gd.method.noise);
  EXPECT_EQ(gd.compressor->description(), "identity");
  EXPECT_EQ(gd.config.find("[privacy]"), std::string::npos) << gd.config;
  EXPECT_EQ(gd.config.find("shift"), std::string::npos);
  EXPECT_NE(tiny({"method=cdp-sgd"}).config.find("[privacy]"), std::string::npos);
}

TEST(Plan, TheResolvedFileGivesTheSamePlan) {
  for (const auto& row : methods()) {
    const Plan plan = tiny({std::string("method=") + row.name});
    const Plan again = read_plan(Settings::from_text(plan.config, "config"));
    EXPECT_EQ(again.config, plan.config) << row.name;
    const Plan annotated = read_plan(Settings::from_text(plan.annotated, "annotated"));
    EXPECT_EQ(annotated.config, plan.config) << row.name;
  }
}

// Issue 2 section 2: `trilemma config` shows every key with its default and a comment.
TEST(Plan, AllSettingsHaveHelpAndStandOnce) {
  const auto all = all_settings();
  EXPECT_GT(all.size(), 40U);
  std::vector<std::string> paths;
  for (const auto& record : all) {
    EXPECT_FALSE(record.help.empty()) << record.path;
    paths.push_back(record.path);
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
  for (const char* key : {"method", "seed", "server.rate", "shift.step", "local.batch",
                          "compressor.mask", "privacy.epsilon", "data.images", "data.train",
                          "data.nonzeros", "problem.hidden", "problem.lambda", "wire.value"})
    EXPECT_TRUE(std::binary_search(paths.begin(), paths.end(), key)) << key;
}

TEST(Plan, WireFormatReachesTheCompressor) {
  EXPECT_EQ(tiny({"wire.value=float64"}).compressor->layout().value, ValueFormat::float64);
  EXPECT_EQ(tiny({"wire.value=float32"}).compressor->layout().value, ValueFormat::float32);
}

TEST(Plan, BiasedCompressorsNeedAMemoryOfWhatTheyLeaveOut) {
  testing::expect_parts(
      testing::refusal([] {
        tiny({"method=cdp-sgd", "compressor.kind=top-k"});
      }),
      {"compressor.kind", "top-k is biased", "set memory.kind = \"error-feedback\""});
  testing::expect_parts(testing::refusal([] {
                          tiny({"method=soteriafl-sgd", "compressor.kind=sign"});
                        }),
                        {"sign is biased", "choose an unbiased compressor"});
  const Plan plan = tiny({"method=cdp-sgd", "compressor.kind=top-k", "memory.kind=error-feedback"});
  EXPECT_TRUE(plan.memory->traits.takes_biased);
  EXPECT_NE(plan.config.find("error-feedback"), std::string::npos);
  testing::expect_parts(testing::refusal([] { tiny({"memory.kind=error-feedback"}); }),
                        {"memory.kind"});  // soteriafl-sgd has one of its own
}

// Of rand-k with 4 of 16 three times as much is left out as there is: a quarter of it contracts.
TEST(Plan, MemoriesTakeTheShareThatContracts) {
  for (const char* memory : {"memory.kind=error-feedback", "memory.kind=ef21"}) {
    EXPECT_EQ(tiny({"method=cdp-sgd", memory}).step_of_memory(), 0.25);
    EXPECT_EQ(tiny({"method=cdp-sgd", memory, "compressor.kind=natural"}).step_of_memory(), 1.0);
    EXPECT_EQ(tiny({"method=cdp-sgd", memory, "compressor.kind=top-k"}).step_of_memory(), 1.0);
  }
}

TEST(Plan, NoBoundThatIsMissingIsUsed) {
  testing::expect_parts(testing::refusal([] {
                          tiny({"method=soteriafl-sgd", "compressor.kind=grid"});
                        }),
                        {"the variance of grid has no bound", "shift"});
  EXPECT_EQ(
      tiny({"method=soteriafl-sgd", "compressor.kind=grid", "shift.step=0.5"}).step_of_memory(),
      0.5);
  testing::expect_parts(
      testing::refusal([] {
        tiny({"method=dp-fedavg-clip", "compressor.kind=grid"});
      }),
      {"the output of grid has no bound relative to its input", "privacy.noise_at"});
  EXPECT_NO_THROW(
      tiny({"method=dp-fedavg-clip", "compressor.kind=grid", "privacy.noise_at=client"}));
}

TEST(Plan, SizesOfMessagesMustNotTellWhoTakesPart) {
  const std::vector<std::string> drawn{"method=dp-fedavg-clip", "compressor.kind=qsgd",
                                       "participation.kind=poisson", "participation.rate=0.5"};
  EXPECT_NO_THROW(tiny(drawn));
  auto varying = drawn;
  varying.emplace_back("compressor.code=gamma");
  testing::expect_parts(testing::refusal([&] { tiny(varying); }),
                        {"message sizes reveal who participates"});
}

}  // namespace trilemma::plan_test
