// Methods that must be the same as other methods (spec algorithms.md 6.6), as whole experiments in
// one process.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/federation.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::reductions_test {

using testing::Federation;
using testing::run_tiny;
using testing::tiny_experiment;

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance) << j;
}

TEST(Reductions, ZeroShiftStepIsCdpSgdToTheBit) {
  Federation soteria(tiny_experiment, {"method=soteriafl-sgd", "shift.step=0"});
  Federation cdp(tiny_experiment, {"method=cdp-sgd"});
  for (int t = 0; t < 20; ++t) {
    const auto a = soteria.round();
    const Bytes sent(a.begin(), a.end());
    const auto b = cdp.round();
    ASSERT_EQ(sent, Bytes(b.begin(), b.end())) << t;
    ASSERT_EQ(soteria.x(), cdp.x()) << t;
  }
  // The theory's step must matter, or the comparison says nothing.
  EXPECT_NE(run_tiny({"method=soteriafl-sgd"}), run_tiny({"method=cdp-sgd"}));
}

// Because s = mean s_i, the direction is v = mean g_i. With float shifts the rounding of s_i stays:
// a few units in the last place of the gradients a round.
TEST(Reductions, IdentityMakesSoteriaFlLdpForEveryGamma) {
  for (const std::string kind : {"sgd", "svrg"}) {
    const Vector ldp = run_tiny({"method=ldp-" + kind}, 15);
    for (const char* gamma : {"0", "0.1", "theory", "0.9", "1"})
      expect_near(run_tiny({"method=soteriafl-" + kind, "compressor.kind=identity",
                            std::string("shift.step=") + gamma},
                           15),
                  ldp, 200 * testing::rounding);
  }
}

TEST(Reductions, IdentityNoNoiseWholeBatchIsGradientDescentToTheBit) {
  const Vector gd = run_tiny({"method=gd"});
  for (const std::string sampling : {"poisson", "without-replacement"}) {
    const std::vector<std::string> settings{"method=ldp-sgd", "privacy.sigma=0", "local.batch=15",
                                            "local.sampling=" + sampling};
    auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), settings.begin(), settings.end());
      return run_tiny(more);
    };
    EXPECT_EQ(with({"bound.kind=none"}), gd);
    EXPECT_EQ(with({"bound.threshold=1e9"}), gd);   // a threshold that no vector reaches
    EXPECT_NE(with({"bound.threshold=0.01"}), gd);  // and one that everybody does
  }
}

// 15 records, 4 in a minibatch: four steps in an epoch.
TEST(Reductions, EpochsAreSoManySteps) {
  for (const std::string sampling : {"poisson", "shuffled"}) {
    const auto with = [&](const char* unit, const char* steps) {
      return run_tiny({"method=fedavg", "local.solver=sgd", "local.batch=4",
                       "local.sampling=" + sampling, std::string("local.unit=") + unit,
                       std::string("local.steps=") + steps});
    };
    EXPECT_EQ(with("epoch", "2"), with("step", "8")) << sampling;
    EXPECT_NE(with("epoch", "2"), with("step", "2")) << sampling;
  }
}

TEST(Reductions, WholeBatchSoteriaFlSgdIsSoteriaFlGdToTheBit) {
  EXPECT_EQ(run_tiny({"method=soteriafl-sgd", "local.batch=15"}),
            run_tiny({"method=soteriafl-gd"}));
}

TEST(Reductions, WholeBatchSvrgAndSagaAreGdUpToRounding) {
  const Vector gd = run_tiny({"method=soteriafl-gd"});
  for (const char* method : {"soteriafl-svrg", "soteriafl-saga"})
    expect_near(run_tiny({std::string("method=") + method, "local.batch=15"}), gd,
                500 * testing::rounding);
}

// Nothing is left out, so that shifts change nothing but rounding.
TEST(Reductions, CompressedMethodsWithoutCompressionAreGd) {
  const Vector gd = run_tiny({"method=gd", "server.rate=0.5"});
  const auto with = [](const char* method) {
    return run_tiny(
        {std::string("method=") + method, "compressor.kind=identity", "server.rate=0.5"});
  };
  EXPECT_EQ(with("compressed-gd"), gd);
  expect_near(with("diana"), gd, 500 * testing::rounding);
  expect_near(with("ef21"), gd, 500 * testing::rounding);
  expect_near(with("marina"), gd, 500 * testing::rounding);
}

// The coin falls in every round.
TEST(Reductions, WholeMarinaIsGd) {
  expect_near(run_tiny({"method=marina", "memory.whole=1", "server.rate=0.5"}),
              run_tiny({"method=gd", "server.rate=0.5"}), 500 * testing::rounding);
}

// Diana is SoteriaFL-GD without noise and without a bound that is felt.
TEST(Reductions, DianaIsSoteriaWithoutNoise) {
  EXPECT_EQ(run_tiny({"method=diana", "server.rate=0.5"}),
            run_tiny({"method=soteriafl-gd", "server.rate=0.5", "privacy.sigma=0",
                      "bound.threshold=1e9"}));
}

// spec 6.6: one client, identity, sigma = 0 is the plain optimiser.
TEST(Reductions, OneClientIsThePlainOptimiser) {
  for (const std::string kind : {"gd", "sgd", "svrg", "saga"}) {
    const std::vector<std::string> settings{
        "method=soteriafl-" + kind, "clients=1",    "privacy.sigma=0",
        "compressor.kind=identity", "shift.step=0", "server.rate=0.5"};
    Federation twin(tiny_experiment, settings);
    Vector x = twin.x();
    Vector g(x.size());
    for (std::uint32_t t = 0; t < 12; ++t) {
      twin.parts.work->estimate(0, {x, {twin.plan.seed, Purpose::minibatch, 0, t}}, g);
      twin.parts.work->add_public(x, Support::all(), g);
      twin.parts.work->finish_round(x, {twin.plan.seed, Purpose::coin, 0, t});
      for (std::size_t j = 0; j < x.size(); ++j)
        x[j] = static_cast<real>(static_cast<double>(x[j]) - 0.5 * static_cast<double>(g[j]));
    }
    expect_near(run_tiny(settings, 12), x, 2 * testing::rounding);
  }
}

// spec 1.5: runs are functions of the seed, and the seed is in every stream.
TEST(Reductions, SameSeedSameBitsOtherSeedOtherRun) {
  for (const auto& row : methods()) {
    const std::string method = std::string("method=") + row.name;
    EXPECT_EQ(run_tiny({method}), run_tiny({method})) << row.name;
    EXPECT_NE(run_tiny({method, "seed=2"}), run_tiny({method})) << row.name;
  }
}

TEST(Reductions, GradientDescentConverges) {
  Federation gd(tiny_experiment, {"method=gd", "server.rate=1.0"});
  const double before = gd.evaluate().gradient_norm_squared;
  gd.run(300);
  EXPECT_LT(gd.evaluate().gradient_norm_squared, 1e-3 * before);
}

}  // namespace trilemma::reductions_test
