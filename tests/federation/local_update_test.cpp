// Methods with local steps that must be the same as other methods (spec algorithms.md 2, 3.5 and
// 4.6), as whole experiments in one process.

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/lanes.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::local_update_test {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

const std::string quiet = "privacy.sigma=0";
const std::string unbounded = "bound.threshold=1e9";
const std::string tight = "bound.threshold=1e-3";  // below the norm of every update

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
Vector run(const std::string& method, const Words& words, std::uint32_t rounds = 8) {
  return testing::run_tiny(with({"method=" + method}, words), rounds);
}

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance) << j;
}

// The two ways to state the same step: eta * (sum of gradients), or the difference of the models.
TEST(LocalUpdates, DpFedAvgWithoutPrivacyIsFedAvg) {
  const Words sizes[] = {{}, {"participation.kind=fixed-size", "participation.size=2"}};
  for (const Words& who : sizes) {
    const Words steps = with({"local.steps=5", "local.rate=0.2"}, who);
    const Vector fedavg = run("fedavg", steps);
    expect_near(run("dp-fedavg-clip", with(steps, {quiet, unbounded})), fedavg,
                100 * testing::rounding);
    EXPECT_EQ(run("dp-fedavg-clip",
                  with(steps, {quiet, unbounded, "local.update=difference", "server.rate=1"})),
              fedavg);
    EXPECT_NE(run("dp-fedavg-clip", with(steps, {quiet, tight})), fedavg);
  }
}

TEST(LocalUpdates, OneStepIsGradientDescent) {
  const Vector gd = run("gd", {"server.rate=0.2"});
  for (const char* method : {"dp-fedavg-clip", "fedavg", "fedprox"}) {
    Words words{"local.solver=gd", "local.steps=1", "local.rate=0.2"};
    if (method[0] == 'd') words = with(words, {quiet, unbounded});
    expect_near(run(method, words), gd, 100 * testing::rounding);
  }
}

// [NORM] figures 1 to 3 compare them under the same noise.
TEST(LocalUpdates, ClipAndNormAreTheSameWhereEveryUpdateIsLarge) {
  for (const Words& words : {Words{}, Words{"participation.kind=poisson", "participation.rate=0.5"},
                             Words{"privacy.noise_at=client"}, Words{"local.solver=sgd"},
                             Words{"compressor.kind=rand-k"}, Words{"server.momentum=0.8"}}) {
    EXPECT_EQ(run("dp-fedavg-clip", with(words, {tight})),
              run("dp-normfedavg", with(words, {tight})));
    EXPECT_NE(run("dp-fedavg-clip", with(words, {"bound.threshold=10"})),
              run("dp-normfedavg", with(words, {"bound.threshold=10"})));
  }
}

// What noise adds to the first step does not depend on the method.
TEST(LocalUpdates, TheSameSeedIsTheSameNoise) {
  for (const char* place : {"privacy.noise_at=server", "privacy.noise_at=client"}) {
    auto noise = [place](const std::string& method) {
      const Words words{"server.rate=1", "bound.threshold=1.5", place};
      const Vector noisy = run(method, words, 1);
      const Vector calm = run(method, with(words, {quiet}), 1);
      Vector difference(noisy);
      for (std::size_t j = 0; j < noisy.size(); ++j) difference[j] -= calm[j];
      return difference;
    };
    const Vector clip = noise("dp-fedavg-clip");
    EXPECT_GT(norm_squared(ConstView(clip)), 0);
    for (const char* method : {"dp-normfedavg", "dp-fedavg-smooth", "pmtl"})
      expect_near(noise(method), clip, 10 * testing::rounding);
  }
}

TEST(LocalUpdates, FedProxWithoutPullIsFedAvg) {
  EXPECT_EQ(run("fedprox", {"local.pull=0"}), run("fedavg", {}));
  EXPECT_NE(run("fedprox", {}), run("fedavg", {}));
}

// The first round of error feedback has no memory.
TEST(LocalUpdates, SmoothNormalisationIsTheFirstRoundOfErrorFeedback) {
  const Words words{"local.steps=4", "memory.step=1"};
  const Words plain{"local.solver=gd", "local.steps=4"};
  EXPECT_EQ(run("fed-alpha-normec", words, 1), run("dp-fedavg-smooth", plain, 1));
  EXPECT_NE(run("fed-alpha-normec", words, 2), run("dp-fedavg-smooth", plain, 2));
}

// beta = 1 without a bound in force: v_i = P_i after every round, so vhat = grad f.
TEST(LocalUpdates, Clip21WithoutBoundIsGradientDescent) {
  expect_near(run("clip21", {quiet, unbounded, "server.rate=0.2"}), run("gd", {"server.rate=0.2"}),
              100 * testing::rounding);
}

// gamma cancels from P = (x - T(x)) / gamma where T = 1.
TEST(LocalUpdates, WithOneStepGammaHasNoEffect) {
  const Words common{"server.rate=0.1"};
  const Vector one = run("alpha-normec", common);
  for (const char* gamma : {"local.rate=1e-6", "local.rate=0.5", "local.rate=30"}) {
    EXPECT_EQ(run("alpha-normec", with(common, {gamma})), one) << gamma;
    EXPECT_EQ(run("fed-alpha-normec", with(common, {gamma, "local.steps=1"})), one) << gamma;
  }
  EXPECT_NE(run("fed-alpha-normec", with(common, {"local.rate=0.5", "local.steps=2"})), one);
}

// A pass over one record is one step.
TEST(LocalUpdates, CyclicPassesOverOneRecord) {
  EXPECT_EQ(run("fed-alpha-normec-ig", {"clients=60"}), run("alpha-normec", {"clients=60"}));
}

// [NEC] algorithm box: ||x' - x|| = eta, with noise and all.
TEST(LocalUpdates, NormalisedServerStepsHaveOneLength) {
  for (const char* method : {"fed-alpha-normec", "dp-fedavg-clip"}) {
    Federation f(tiny_experiment,
                 {std::string("method=") + method, "server.normalise=true", "server.rate=0.125"});
    for (int round = 0; round < 6; ++round) {
      Vector moved = f.x();
      f.round();
      for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= f.x()[j];
      EXPECT_NEAR(std::sqrt(norm_squared(ConstView(moved))), 0.125, 20 * testing::rounding)
          << method;
    }
  }
}

// Perturbing and compressing at the sent coordinates only must leave the bits (and the memories).
TEST(LocalUpdates, StagedAndFusedAreTheSame) {
  for (const auto& row : methods()) {
    Words words{std::string("method=") + row.name, "compressor.kind=rand-k", "compressor.k=4"};
    Settings settings = Settings::empty();
    const Method m = row.make(settings);
    if (m.steps.solver.empty() || !m.compressor.empty()) continue;
    EXPECT_EQ(testing::run_tiny(with(words, {"debug.staged=true"})), testing::run_tiny(words))
        << row.name;
  }
}

TEST(LocalUpdates, WordsWithoutEffectAreRefused) {
  auto refused = [](const std::string& method, const std::string& word) {
    return testing::refusal([&] { Federation(tiny_experiment, {"method=" + method, word}); });
  };
  testing::expect_parts(refused("fed-alpha-normec-ig", "local.steps=3"), {"local.steps"});
  testing::expect_parts(refused("alpha-normec", "local.steps=3"), {"local.steps"});
  testing::expect_parts(refused("dp-fedavg-clip", "memory.step=1"), {"memory.step"});
  testing::expect_parts(refused("fedavg", "privacy.noise_at=server"), {"privacy.noise_at"});
  testing::expect_parts(refused("dp-fedavg-clip", "local.stepps=3"), {"stepps", "steps"});
  testing::expect_parts(refused("dp-fedavg-clip", "bound.alpha=1"), {"bound.alpha"});
}

}  // namespace trilemma::local_update_test
