// What is said of a run's privacy, and its sigma (src/experiment/claim.hpp; issue 2 section 3; spec
// algorithms.md A29, A31).

#include "experiment/claim.hpp"

#include <gtest/gtest.h>

#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma {
namespace {

constexpr const char* closed_form = R"(
rounds = 100
[data]
rows = 32560
[bound]
threshold = 0.5
[privacy]
epsilon = 5.0
delta = 1e-3
)";

Plan plan(const std::vector<std::string>& overrides, const char* toml = closed_form) {
  return read_plan(Settings::from_text(toml, "e.toml", overrides));
}
std::string claim(const Plan& p) {
  const double sigma = noise_sigma(p, 3256);
  return privacy_claim(p, sigma, 3256);
}

// experiments.md 2.1, EPS5.
TEST(Claim, SigmaOfTheClosedForm) {
  EXPECT_NEAR(noise_sigma(plan({"method=cdp-sgd"}), 3256), 0.002283, 6e-7);
  EXPECT_NEAR(noise_sigma(plan({"method=soteriafl-sgd"}), 3256), 0.002796, 6e-7);
  EXPECT_NEAR(noise_sigma(plan({"method=ldp-svrg"}), 3256), 0.007909, 6e-7);
  EXPECT_NEAR(noise_sigma(plan({"method=cdp-sgd", "privacy.constant=12"}), 3256), 0.002796, 6e-7);
  EXPECT_EQ(noise_sigma(plan({"method=gd"}), 3256), 0);
}

TEST(Claim, SigmaAsGiven) { EXPECT_EQ(noise_sigma(plan({}, testing::tiny_experiment), 15), 0.05); }

TEST(Claim, RunsThatAreNotPrivateSaySo) {
  const std::string none = "not a private run:";
  EXPECT_EQ(claim(plan({"method=gd"})).find(none), 0U);
  EXPECT_EQ(claim(plan({"bound.kind=clip-estimator"})).find(none), 0U);
  EXPECT_EQ(claim(plan({"privacy.sigma=0"}, testing::tiny_experiment)).find(none), 0U);
  EXPECT_EQ(claim(plan({"bound.kind=none"}, testing::tiny_experiment)).find(none), 0U);
  EXPECT_EQ(claim(plan({}, testing::tiny_experiment)).find(none), 0U);
}

TEST(Claim, NominalRunsAreCalledNominal) {
  const std::string said = claim(plan({}));
  EXPECT_NE(said.find("nominal"), std::string::npos) << said;
  EXPECT_NE(said.find("(5, 0.001)"), std::string::npos) << said;
  EXPECT_NE(said.find("accountant"), std::string::npos) << said;
}

TEST(Claim, NamesWhatTheProofDoesNotCover) {
  testing::expect_parts(claim(plan({"local.sampling=with-replacement"})),
                        {"Poisson", "with-replacement"});
  EXPECT_EQ(claim(plan({})).find("Poisson"), std::string::npos);
  // delta = 1e-3 is not below 1/m for m = 3256.
  testing::expect_parts(claim(plan({})), {"1/m"});
  EXPECT_EQ(claim(plan({"privacy.delta=1e-5"})).find("1/m"), std::string::npos);
}

}  // namespace
}  // namespace trilemma
