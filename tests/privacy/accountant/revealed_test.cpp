// Draws that the adversary knows (src/privacy/accountant/revealed.cpp; spec privacy.md 2.3).

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accountant/accountant.hpp"
#include "privacy/accountant/simple_bounds.hpp"

namespace trilemma::accounting::revealed_test {

Composition releases(Sampling sampling, double rate, double sigma, double steps,
                     Relation relation = Relation::add_remove) {
  return {relation, {{sampling, rate, sigma, steps}}};
}

double choose(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value *= static_cast<double>(n - k + i) / i;
  return value;
}

// The worked example of the specification: rate .01, multiplier 1, 100 rounds, delta 1e-5.
TEST(Revealed, WorkedExample) {
  const Result found = epsilon(releases(Sampling::revealed, 0.01, 1, 100), 1e-5);
  EXPECT_NEAR(found.value, 8.62, 0.006);
  EXPECT_EQ(found.method, "revealed");
  EXPECT_LE(found.lower, found.value);
  EXPECT_NEAR(found.lower, found.value, 1e-8 * found.value);
}

// The sum written out, each term a Gaussian mechanism of k releases.
TEST(Revealed, IsTheSumOverParticipations) {
  for (const Relation relation : {Relation::zero_out, Relation::replace_one})
    for (const double rate : {0.05, 0.5, 0.9}) {
      constexpr int rounds = 12;
      double sum = 0;
      for (int k = 1; k <= rounds; ++k)
        sum += choose(rounds, k) * std::pow(rate, k) * std::pow(1 - rate, rounds - k) *
               delta(releases(Sampling::none, 1, 1.5, k, relation), 2).value;
      const double found =
          delta(releases(Sampling::revealed, rate, 1.5, rounds, relation), 2).value;
      EXPECT_NEAR(found, sum, 1e-8 * sum);
      EXPECT_GE(found, sum * (1 - 1e-12));
    }
}

TEST(Revealed, LiesBetweenHiddenDrawsAndNone) {
  const double hidden = epsilon(releases(Sampling::poisson, 0.1, 2, 200), 1e-6).value;
  const double known = epsilon(releases(Sampling::revealed, 0.1, 2, 200), 1e-6).value;
  const double all = epsilon(releases(Sampling::none, 1, 2, 200), 1e-6).value;
  EXPECT_LT(hidden, known);
  EXPECT_LT(known, all);
  EXPECT_DOUBLE_EQ(epsilon(releases(Sampling::revealed, 1, 2, 200), 1e-6).value, all);
  EXPECT_GE(renyi_epsilon(releases(Sampling::revealed, 0.1, 2, 200), 1e-6).value, known);
}

TEST(Revealed, ManyRoundsAndSmallDeltas) {
  for (const double steps : {1e3, 1e5, 1e7})
    for (const double small : {1e-5, 1e-12, 1e-30}) {
      const Composition c = releases(Sampling::revealed, 10 / steps, 2, steps);
      const Bracket found = revealed_epsilon(c, small);
      EXPECT_LE(found.low, found.high);
      EXPECT_NEAR(found.low, found.high, 1e-7 * found.high) << steps << " " << small;
      EXPECT_GE(renyi_epsilon(c, small, Orders::refined).value, found.high);
    }
}

TEST(Revealed, OtherDrawsBesideItHaveNoAccountant) {
  Composition c = releases(Sampling::revealed, 0.1, 2, 10);
  c.components.push_back({Sampling::poisson, 0.1, 2, 10});
  EXPECT_THROW(epsilon(c, 1e-5), UnsupportedClaim);
  c.components.back() = {Sampling::none, 1, 2, 10};
  EXPECT_GT(epsilon(c, 1e-5).value, epsilon(releases(Sampling::none, 1, 2, 10), 1e-5).value);
}

}  // namespace trilemma::accounting::revealed_test
