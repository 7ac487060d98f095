// Keys of the simulated clock that only some methods read (src/schedule/clock_settings.hpp).

#include <gtest/gtest.h>

#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::clock_keys_test {

using Words = std::vector<std::string>;

Plan plan_of(const Words& overrides) {
  return read_plan(Settings::from_text(testing::tiny_experiment, "e.toml", overrides));
}

TEST(ClockKeys, OneDrawForAJobIsReadWhereItsStepsHaveDifferentTimes) {
  for (const char* method : {"fedavg-timed", "fedbuff", "fedasync", "fedcompass"}) {
    const std::string own = std::string("method=") + method;
    EXPECT_NO_THROW(plan_of({own, "clock.draw=job"})) << method;
    const Words without_effect[] = {{own, "clock.draw=job", "clock.law=fixed"},
                                    {own, "clock.draw=job", "local.steps=1"}};
    for (const Words& overrides : without_effect)
      testing::expect_parts(testing::refusal([&] { plan_of(overrides); }),
                            {"clock.draw", "do not read this key"});
  }
  for (const char* method : {"favano", "quafl", "asyncsgd", "fedavg"})
    testing::expect_parts(testing::refusal([&] {
                            plan_of({std::string("method=") + method, "clock.draw=job"});
                          }),
                          {"clock.draw", "do not read this key"});
  testing::expect_parts(testing::refusal([&] {
                          plan_of({"method=fedbuff", "clock.time=real", "clock.draw=job"});
                        }),
                        {"clock.draw", "do not read this key"});
}

TEST(ClockKeys, ADrawForEachStepIsTheDefault) {
  const Plan usual = plan_of({"method=fedavg-timed"});
  EXPECT_EQ(usual.fingerprint, plan_of({"method=fedavg-timed", "clock.draw=step"}).fingerprint);
  EXPECT_NE(usual.fingerprint, plan_of({"method=fedavg-timed", "clock.draw=job"}).fingerprint);
}

TEST(ClockKeys, RestartIsReadWhereClientsComeOnTheirOwn) {
  for (const char* restart : {"at-once", "consumed", "renewed"}) {
    const std::string key = std::string("clock.restart=") + restart;
    for (const char* method : {"fedbuff", "fedasync"})
      for (const char* time : {"simulated", "real"})
        EXPECT_NO_THROW(
            plan_of({std::string("method=") + method, key, std::string("clock.time=") + time}));
    for (const char* method : {"favano", "quafl", "asyncsgd", "fedavg-timed", "fedcompass"})
      testing::expect_parts(testing::refusal([&] {
                              plan_of({std::string("method=") + method, key});
                            }),
                            {"clock.restart", "do not read this key"});
  }
  testing::expect_parts(testing::refusal([&] {
                          plan_of({"method=fedbuff", "clock.restart=later"});
                        }),
                        {"clock.restart", "at-once, consumed, renewed"});
}

// Where the number of steps is drawn separately, no step is under way; a file may serve both.
TEST(ClockKeys, AStepUnderWayHasNoEffectInTheAnalysis) {
  for (const char* method : {"favano", "quafl"}) {
    const std::string own = std::string("method=") + method;
    EXPECT_NO_THROW(plan_of({own, "clock.under_way=kept"}));
    EXPECT_NO_THROW(plan_of({own, "clock.speed=analysis", "server.preset=code"}));
    testing::expect_parts(testing::refusal([&] {
                            plan_of({own, "clock.under_way=kept", "clock.speed=analysis"});
                          }),
                          {"clock.under_way", "leave it out"});
  }
}

}  // namespace trilemma::clock_keys_test
