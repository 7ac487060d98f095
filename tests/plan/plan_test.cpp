// Reading an experiment (src/plan/plan.hpp): parts chosen, defaults, the resolved file reads
// as itself.

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/read_plan.hpp"
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

}  // namespace trilemma::plan_test
