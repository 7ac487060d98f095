// What is said of a run's privacy, and its sigma (src/experiment/claim.hpp; spec
// algorithms.md A29, A31).

#include "experiment/claim.hpp"

#include <gtest/gtest.h>

#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::claim_test {

constexpr const char* closed_form = R"(
rounds = 100
[data]
rows = 32560
[bound]
threshold = 0.5
[privacy]
epsilon = 5.0
delta = 1e-5
calibration = "paper"
)";

constexpr const char* published = "privacy.delta=1e-3";

Plan plan(const std::vector<std::string>& overrides, const char* toml = closed_form) {
  return read_plan(Settings::from_text(toml, "e.toml", overrides));
}
Claim claim_of(const Plan& p) { return make_claim(p, noise_sigma(p, 3256), 3256); }
std::string claim(const Plan& p) { return claim_of(p).sentence; }

// experiments.md 2.1, EPS5.
TEST(Claim, SigmaOfTheClosedForm) {
  EXPECT_NEAR(noise_sigma(plan({"method=cdp-sgd", published}), 3256), 0.002283, 6e-7);
  EXPECT_NEAR(noise_sigma(plan({"method=soteriafl-sgd", published}), 3256), 0.002796, 6e-7);
  EXPECT_NEAR(noise_sigma(plan({"method=ldp-svrg", published}), 3256), 0.007909, 6e-7);
  EXPECT_NEAR(noise_sigma(plan({"method=cdp-sgd", "privacy.constant=12", published}), 3256),
              0.002796, 6e-7);
  EXPECT_EQ(noise_sigma(plan({"method=gd"}), 3256), 0);
}

// A method may have noise and no published formula for it.
TEST(Claim, WithoutAClosedFormThePapersNoiseIsRefused) {
  Plan p = plan({"method=cdp-sgd", published});
  p.method.paper_noise = nullptr;
  testing::expect_parts(testing::refusal([&] { noise_sigma(p, 3256); }),
                        {"calibration", "cdp-sgd has no closed form", "accountant"});
}

TEST(Claim, SigmaAsGiven) { EXPECT_EQ(noise_sigma(plan({}, testing::tiny_experiment), 15), 0.05); }

TEST(Claim, RunsThatAreNotPrivateSaySo) {
  const std::string none = "not a private run:";
  EXPECT_EQ(claim(plan({"method=gd"})).find(none), 0U);
  EXPECT_EQ(claim(plan({"bound.kind=clip-estimator"})).find(none), 0U);
  EXPECT_EQ(claim(plan({"privacy.sigma=0"}, testing::tiny_experiment)).find(none), 0U);
  EXPECT_EQ(claim(plan({"bound.kind=none"}, testing::tiny_experiment)).find(none), 0U);
  EXPECT_EQ(claim(plan({}, testing::tiny_experiment)).find(none), 0U);  // no delta
  // delta = 1e-3 is not below 1/m for m = 3256.
  testing::expect_parts(claim(plan({"privacy.delta=1e-3"})), {none, "1/m", "delta_too_large"});
  testing::expect_parts(claim(plan({"local.sampling=with-replacement"})),
                        {none, "amplification", "with-replacement"});
}

TEST(Claim, TheClosedFormIsNominalOnly) {
  const Claim found = claim_of(plan({}));
  testing::expect_parts(found.sentence, {"nominal only:", "epsilon = 5", "the accountant"});
  EXPECT_EQ(found.record.dp_claim, "paper_nominal_only");
  EXPECT_GT(found.record.epsilon, 5);
}

TEST(Claim, TheAccountantHolds) {
  for (const char* method : {"ldp-sgd", "soteriafl-svrg", "soteriafl-gd"}) {
    const Claim found = claim_of(
        plan({std::string("method=") + method, "privacy.calibration=accountant", "rounds=20"}));
    testing::expect_parts(found.sentence, {"holds: (", "1e-05", "added or removed"});
    EXPECT_LE(found.record.epsilon, 5);
    EXPECT_GT(found.record.epsilon, 4.9);
    EXPECT_GE(found.record.crosscheck_epsilon, found.record.epsilon);
    EXPECT_EQ(found.curve->at(20), found.record.epsilon);
    EXPECT_EQ(found.curve->at(0), 0);
    for (std::size_t t = 1; t <= 20; ++t) EXPECT_GE(found.curve->at(t), found.curve->at(t - 1));
  }
}

// spec privacy.md 2.5: one record moves a mean of b clipped gradients by G/b; SVRG's difference by
// 2G/b and its full mean by G/m; a clipped finished vector by 2G; drawn with replacement, b times.
TEST(Claim, ReleasesFollowFromTheParts) {
  const Release sgd = releases(plan({"local.batch=50"}), 3256).of_every_round();
  EXPECT_EQ(sgd.sampling, accounting::Sampling::poisson);
  EXPECT_DOUBLE_EQ(sgd.rate, 50.0 / 3256);
  EXPECT_DOUBLE_EQ(sgd.sensitivity.sampled, 0.5 / 50);
  EXPECT_EQ(sgd.sensitivity.full, 0);
  const Release svrg =
      releases(plan({"local.batch=50", "method=soteriafl-svrg"}), 3256).of_every_round();
  EXPECT_DOUBLE_EQ(svrg.sensitivity.sampled, 2 * 0.5 / 50);
  EXPECT_DOUBLE_EQ(svrg.sensitivity.full, 0.5 / 3256);
  EXPECT_DOUBLE_EQ(
      releases(plan({"bound.kind=clip-estimator"}), 3256).of_every_round().sensitivity.full, 1.0);
  const Release repeated =
      releases(plan({"local.batch=50", "local.sampling=with-replacement"}), 3256).of_every_round();
  EXPECT_EQ(repeated.sampling, accounting::Sampling::none);
  EXPECT_DOUBLE_EQ(repeated.sensitivity.full, 0.5);
  const Releases fixed =
      releases(plan({"local.batch=50", "local.sampling=without-replacement"}), 3256);
  EXPECT_EQ(fixed.of_every_round().sampling, accounting::Sampling::fixed_wor);
  EXPECT_EQ(fixed.relation, accounting::Relation::replace_one);
}

TEST(Claim, SamplingWithoutATheoremIsRefusedByName) {
  testing::expect_parts(
      claim(plan({"local.sampling=without-replacement", "privacy.relation=add_remove"})),
      {"not a private run:", "minibatches of a fixed size", "local.sampling = poisson"});
  testing::expect_parts(
      claim(plan({"method=soteriafl-saga", "local.sampling=without-replacement"})),
      {"not a private run:", "remembers earlier draws"});
}

}  // namespace trilemma::claim_test
