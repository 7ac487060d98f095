// SVRG (src/local/svrg.cpp; spec algorithms.md 6.3, option II, and 6.6).

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::svrg_test {

constexpr double threshold = 0.4;
constexpr std::size_t records = 14;

class SvrgOn : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<LocalWork> make(double p, std::size_t batch = 4) {
    auto svrg = testing::make_estimator(
        "svrg", on_, *sampler_,
        {.batch = batch, .snapshot_probability = p, .threshold = threshold});
    svrg->start(w_);
    return svrg;
  }
  // Client 0's exact gradient.
  std::vector<double> gradient(ConstView x) {
    auto g = testing::mean_gradient(*on_.problem, on_.shards[0], x, threshold);
    const auto slope = testing::regulariser_gradient(*on_.problem, x);
    for (std::size_t j = 0; j < g.size(); ++j) g[j] += slope[j];
    return g;
  }
  bool exact_at(LocalWork& svrg, ConstView x) {
    const auto g = gradient(x);
    for (std::uint32_t round = 0; round < 5; ++round) {
      const auto out = testing::as_double(testing::estimate(svrg, x, round));
      if (testing::distance_squared(out, g) > 1e3 * testing::rounding * testing::rounding)
        return false;
    }
    return true;
  }

  testing::Case on_ = testing::make_case(GetParam(), 2, records, 8, 3);
  std::unique_ptr<Sampler> sampler_ = testing::make_sampler("poisson");
  Vector w_ = testing::random_vector(on_.problem->dimension(), 4, 0.5);
  Vector x_ = testing::random_vector(on_.problem->dimension(), 5, 0.5);
};

TEST_P(SvrgOn, ByTheFormula) {
  testing::ScriptedSampler sampler;
  const auto svrg =
      testing::make_estimator("svrg", on_, sampler, {.batch = 4, .threshold = threshold});
  svrg->start(w_);
  sampler.next = {1, 5, 5, 9, 13};
  const Vector out = testing::estimate(*svrg, x_, 0);
  auto expected = testing::mean_gradient(*on_.problem, on_.shards[0], w_, threshold);
  const auto slope = testing::regulariser_gradient(*on_.problem, x_);
  for (const auto row : sampler.next) {
    const auto at_x = testing::record_gradient(*on_.problem, on_.shards[0], row, x_, threshold);
    const auto at_w = testing::record_gradient(*on_.problem, on_.shards[0], row, w_, threshold);
    for (std::size_t j = 0; j < at_x.size(); ++j) expected[j] += (at_x[j] - at_w[j]) / 4;
  }
  for (std::size_t j = 0; j < out.size(); ++j)
    EXPECT_NEAR(out[j], expected[j] + slope[j], 30 * testing::rounding);
}

TEST_P(SvrgOn, NoVarianceWhereTheSnapshotStands) {
  const auto svrg = make(0);
  EXPECT_TRUE(exact_at(*svrg, w_));
  EXPECT_FALSE(exact_at(*svrg, x_));
}

TEST_P(SvrgOn, WholeBatchIsGdUpToRounding) {
  for (const char* name : {"poisson", "without-replacement"}) {
    sampler_ = testing::make_sampler(name);
    EXPECT_TRUE(exact_at(*make(0, records), x_)) << name;
  }
}

// spec 6.6: with p = 1 the snapshot is the model of the round before; the coin comes after the
// estimate.
TEST_P(SvrgOn, CertainSnapshotsLagByOne) {
  const auto svrg = make(1);
  const Vector next = testing::random_vector(x_.size(), 6, 0.5);
  EXPECT_FALSE(exact_at(*svrg, x_));  // still w
  svrg->finish_round(x_, {1, Purpose::coin, 0, 0});
  EXPECT_TRUE(exact_at(*svrg, x_));
  EXPECT_FALSE(exact_at(*svrg, next));
  svrg->finish_round(next, {1, Purpose::coin, 0, 1});
  EXPECT_TRUE(exact_at(*svrg, next));
}

TEST_P(SvrgOn, ImpossibleSnapshotsLeaveTheControlVariate) {
  const auto svrg = make(0);
  for (std::uint32_t round = 0; round < 200; ++round)
    svrg->finish_round(x_, {1, Purpose::coin, 0, round});
  EXPECT_TRUE(exact_at(*svrg, w_));
  EXPECT_FALSE(exact_at(*svrg, x_));
}

// One coin for all clients and with its probability: 400 rounds, five standard deviations.
TEST_P(SvrgOn, TheCoinHasItsProbability) {
  const double p = 0.3;
  int moved = 0;
  for (std::uint32_t round = 0; round < 400; ++round) {
    const auto svrg = make(p);
    svrg->finish_round(x_, {1, Purpose::coin, 0, round});
    moved += exact_at(*svrg, x_) ? 1 : 0;
  }
  EXPECT_NEAR(moved, 400 * p, 5 * std::sqrt(400 * p * (1 - p)));
}

INSTANTIATE_TEST_SUITE_P(Problems, SvrgOn, ::testing::Values("logistic", "network", "softmax"));

}  // namespace trilemma::svrg_test
