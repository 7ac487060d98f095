// From what a client releases to what it costs (src/privacy/account.hpp).

#include "privacy/account.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/check.hpp"

namespace trilemma::account_test {

using accounting::Sampling;

constexpr double delta = 1e-5;

// As in SPIDER: a few rounds on all records with more noise, many on samples.
const Release on_all{.sensitivity = {.full = 0.5}, .noise = 2, .times = 4};
const Release on_samples{
    .sampling = Sampling::poisson, .rate = 0.1, .sensitivity = {.sampled = 0.25}, .times = 60};

Releases of(std::vector<Release> list) { return {accounting::Relation::add_remove, list}; }

TEST(Account, RoundsThatDifferAreOneComposition) {
  const auto composition = compose(of({on_all, on_samples}), 3, 0.5);
  ASSERT_EQ(composition.components.size(), 2U);
  EXPECT_DOUBLE_EQ(composition.components[0].sigma, 2 * 3 / 0.5);
  EXPECT_EQ(composition.components[0].steps, 4);
  EXPECT_DOUBLE_EQ(composition.components[1].sigma, 3 / 0.25);
  EXPECT_EQ(composition.components[1].rate, 0.1);
  EXPECT_EQ(composition.components[1].steps, 60);
  EXPECT_DOUBLE_EQ(account(of({on_all, on_samples}), 3, delta).epsilon.value,
                   account(of({on_samples, on_all}), 3, delta).epsilon.value);
}

TEST(Account, MoreReleasesCostMore) {
  const double all = account(of({on_all}), 3, delta).epsilon.value;
  const double samples = account(of({on_samples}), 3, delta).epsilon.value;
  const double both = account(of({on_all, on_samples}), 3, delta).epsilon.value;
  EXPECT_GT(both, std::max(all, samples));
  EXPECT_LT(both, all + samples);
}

// Equal rounds given in two pieces cost the same as in one.
TEST(Account, PiecesOfEqualRoundsAreTheirSum) {
  Release half = on_samples;
  half.times = 30;
  EXPECT_NEAR(account(of({half, half}), 3, delta).epsilon.value,
              account(of({on_samples}), 3, delta).epsilon.value, 1e-3);
}

TEST(Account, NoiseIsFoundForRoundsThatDiffer) {
  const Releases releases = of({on_all, on_samples});
  const double sigma = calibrated_sigma(releases, 1, delta);
  const double epsilon = account(releases, sigma, delta).epsilon.value;
  EXPECT_LE(epsilon, 1);
  EXPECT_GT(epsilon, 0.995);
}

// With sigma = 0.01 a single round costs thousands: one random round costs no more than all, and
// the lower bound ends at 100, above which the mean over the stops is not examined.
TEST(Account, LargeEpsilonsOfARandomRoundAreBounded) {
  Releases releases = of({on_samples});
  const double all = account(releases, 0.01, delta).epsilon.value;
  for (const double last : {20.0, 40.0, 60.0}) releases.stops.push_back({last - 19, last, 1.0 / 3});
  const Account found = account(releases, 0.01, delta);
  EXPECT_GT(found.epsilon.value, 100);
  EXPECT_LE(found.epsilon.value, all);
  EXPECT_EQ(found.epsilon.lower, 100);
}

TEST(Account, WhoNeedsEqualRoundsSaysSo) {
  const Releases releases = of({on_all, on_samples});
  EXPECT_THROW(releases.of_every_round(), LibraryError);
  EXPECT_THROW(epsilon_curve(releases, 3, delta, account(releases, 3, delta)), LibraryError);
  EXPECT_EQ(of({on_all}).of_every_round().times, 4);
}

}  // namespace trilemma::account_test
