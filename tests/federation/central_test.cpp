// LDP-SPIDER, DP-SGD, DP-SRM and RRPSGD as whole experiments: what they reduce to.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/federation.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::central_test {

using testing::Federation;
using testing::run_tiny;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance) << j;
}

TEST(Spider, WithAnchorsOnlyIsLdpSgdToTheBit) {
  EXPECT_EQ(run_tiny({"method=ldp-spider", "local.period=1"}), run_tiny({"method=ldp-sgd"}));
  EXPECT_NE(run_tiny({"method=ldp-spider", "local.period=4"}), run_tiny({"method=ldp-sgd"}));
}

// h^t = grad f(x^t): the differences telescope.
TEST(Spider, OnAllRecordsWithoutNoiseIsGradientDescent) {
  const Vector gd = run_tiny({"method=gd"});
  for (const char* period : {"1", "3", "100"})
    for (const char* lipschitz : {"none", "1e6"})
      expect_near(run_tiny({"method=ldp-spider", "privacy.sigma=0", "local.batch=15",
                            "bound.threshold=1e9", std::string("local.period=") + period,
                            std::string("local.lipschitz=") + lipschitz}),
                  gd, 500 * testing::rounding);
}

TEST(DpSrm, WithWeightOneIsDpSgdToTheBit) {
  for (const char* method : {"method=dp-srm", "method=dp-srm-distributed"}) {
    EXPECT_EQ(run_tiny({method, "local.fresh=1"}), run_tiny({"method=dp-sgd"}));
    EXPECT_NE(run_tiny({method, "local.fresh=0.5"}), run_tiny({"method=dp-sgd"}));
  }
}

TEST(DpSrm, OnAllRecordsWithoutNoiseIsGradientDescentForEveryWeight) {
  const Vector gd = run_tiny({"method=gd"});
  for (const char* weight : {"0.03", "0.5", "1"})
    expect_near(run_tiny({"method=dp-srm", "privacy.sigma=0", "local.batch=15",
                          "bound.threshold=1e9", std::string("local.fresh=") + weight}),
                gd, 500 * testing::rounding);
}

TEST(DpSrm, OfOneNodeIsTheDistributedForm) {
  EXPECT_EQ(run_tiny({"method=dp-srm", "clients=1"}),
            run_tiny({"method=dp-srm-distributed", "clients=1"}));
}

TEST(DpSgd, WithoutNoiseIsMinibatchSgd) {
  EXPECT_EQ(run_tiny({"method=dp-sgd", "privacy.sigma=0"}),
            run_tiny({"method=ldp-sgd", "privacy.sigma=0"}));
  EXPECT_EQ(run_tiny({"method=dp-gd", "privacy.sigma=0", "bound.threshold=1e9"}),
            run_tiny({"method=gd"}));
}

// The noise of the server does not depend on the clients, and all records are in every minibatch.
TEST(DpSgd, OfClientsIsThatOfOneNodeWithTheUnion) {
  for (const Words& method :
       {Words{"method=dp-sgd"}, Words{"method=dp-gd"}, Words{"method=dp-srm", "local.fresh=0.3"}}) {
    const auto with = [&method](Words words) {
      words.insert(words.end(), method.begin(), method.end());
      if (method[0] == "method=dp-gd")
        std::erase_if(words, [](const std::string& word) { return word.starts_with("local"); });
      return run_tiny(words);
    };
    expect_near(with({"clients=4", "local.batch=15"}), with({"clients=1", "local.batch=60"}),
                200 * testing::rounding);
  }
}

// Without signal, x moves by the noise alone: one N(0, sigma^2) on the mean.
TEST(DpSgd, TheServerAddsTheNoiseOnce) {
  Federation f(tiny_experiment, {"method=dp-sgd", "bound.threshold=1e-9", "problem.lambda=0",
                                 "server.rate=1", "start.scale=0"});
  double sum = 0, count = 0;
  for (int t = 0; t < 2000; ++t) {
    f.parts.x.assign(f.x().size(), real{0});
    f.round();
    for (const real value : f.x()) {
      sum += double{value} * double{value};
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 0.05 * 0.05, 5 * std::sqrt(2 / count) * 0.05 * 0.05);
}

// The noise of a difference is 2 b_1 / b times that of an anchor, that of a later round of
// recursive momentum (2 - a) b_0 / b times.
TEST(RecursiveNoise, FollowsTheSensitivity) {
  struct Case {
    Words words;
    double factor;
  };
  for (const Case& c : {Case{{"method=ldp-spider", "local.period=1000"}, 2},
                        Case{{"method=ldp-spider", "local.anchor_batch=15"}, 6},
                        Case{{"method=dp-srm", "local.fresh=0.25", "local.anchor_batch=15"}, 5.25},
                        Case{{"method=dp-srm", "local.lipschitz=1e-9"}, 0.1}}) {
    Words words{"bound.threshold=1e-9", "server.rate=1e-6"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    Federation f(tiny_experiment, words);
    f.run(1);
    EXPECT_EQ(f.parts.clients->noise_factor(), 1);
    f.run(1);
    EXPECT_NEAR(f.parts.clients->noise_factor(), c.factor, 1e-6) << c.words[0];
  }
}

// x after T rounds is the model of dp-sgd before step R, and R is uniform on 0, ..., T-1.
TEST(Rrpsgd, ReleasesTheModelOfAUniformRound) {
  constexpr std::uint32_t rounds = 4;
  std::vector<int> found(rounds, 0);
  constexpr int seeds = 400;
  for (int seed = 0; seed < seeds; ++seed) {
    const Words common{"seed=" + std::to_string(seed), "rounds=4", "data.rows=8", "local.batch=1"};
    auto with = [&common](const char* method) {
      Words words = common;
      words.emplace_back(method);
      return words;
    };
    Federation sgd(tiny_experiment, with("method=dp-sgd"));
    Federation random(tiny_experiment, with("method=rrpsgd"));
    std::vector<Vector> models;
    for (std::uint32_t t = 0; t < rounds; ++t) {
      models.push_back(sgd.x());
      EXPECT_EQ(random.x(), sgd.x()) << t;
      sgd.round();
      random.round();
    }
    const auto at = std::find(models.begin(), models.end(), random.x());
    ASSERT_NE(at, models.end());
    ++found[static_cast<std::size_t>(at - models.begin())];
  }
  // Five standard deviations of Bin(400, 1/4).
  for (const int times : found) EXPECT_NEAR(times, seeds / 4.0, 5 * std::sqrt(seeds * 3.0 / 16));
}

// E over R of the squared gradient norm is the running mean of a full run, the column "utility".
TEST(Rrpsgd, TheMeanOverItsLawIsTheUtilityOfTheFullRun) {
  Federation f(tiny_experiment, {"method=dp-sgd"});
  const auto law = OutputLaw{.rate = {.first = 0.3}}.probabilities(5);
  double mean = 0, sum = 0;
  for (std::size_t t = 0; t < 5; ++t) {
    const double square = f.evaluate().gradient_norm_squared;
    mean += law[t] * square;
    sum += square / 5;
    f.round();
  }
  EXPECT_NEAR(mean, sum, 1e-12 * sum);
}

TEST(Rrpsgd, LawFollowsTheStepSizes) {
  OutputLaw law{.rate = {.first = 0.5, .decay = 0.5}, .smoothness = 2};
  const auto found = law.probabilities(3);  // 2 eta - 2 eta^2 for eta = 1/2, 1/4, 1/8
  const double total = 0.5 + 0.375 + 0.21875;
  EXPECT_NEAR(found[0], 0.5 / total, 1e-15);
  EXPECT_NEAR(found[1], 0.375 / total, 1e-15);
  EXPECT_NEAR(found[2], 0.21875 / total, 1e-15);
}

}  // namespace trilemma::central_test
