// The oracle's own arithmetic against published values (spec privacy.md 2.1, 2.3, 3.6, 4;
// algorithms.md 1.3 with the tight values of privacy.md 3.5).

#include "tests/claim_oracle/profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/claim_oracle/signal.hpp"

namespace trilemma::claims::profile_test {

double epsilon(const DominatingPair& pair, long rounds, double delta, double known = 1) {
  return epsilon_of([&](double e) { return known_rounds_delta(pair, rounds, known, e); }, delta);
}

/// A lower bound that is at most `part` too low; values are printed with four digits or more.
void expect_just_below(double found, double tight, double part = 0.01, double digits = 5e-4) {
  EXPECT_LE(found, tight * (1 + digits));
  EXPECT_GE(found, tight * (1 - part));
}

TEST(ClaimProfile, GaussianHasItsClosedForm) {
  EXPECT_NEAR(gaussian_delta(1 / 0.3, 30) / 3.436473568135017e-14, 1, 1e-9);
  EXPECT_NEAR(gaussian_delta(1, 8) / 3.6508216874217909e-15, 1, 1e-9);
  EXPECT_NEAR(gaussian_delta(1.0 / 50, 0.01) / 0.0039756589593805754, 1, 1e-9);
  EXPECT_NEAR(epsilon(opposite_pair(1, 0.5), 1, 1e-5), 4.3771780956812246, 1e-6);
  EXPECT_EQ(gaussian_delta(0, 0), 0);
  // Steps of 1/z compose to sqrt(T)/z.
  EXPECT_NEAR(epsilon(plain_pair(0.1), 100, 1e-5), 4.3771780956812246, 1e-6);
}

struct Case {
  double rate, multiplier;
  long rounds;
  double delta, epsilon;
};

TEST(ClaimProfile, PoissonDrawsAreJustBelowTheTightValues) {
  for (const Case& c : {Case{0.01, 1, 1000, 1e-5, 1.82823666652},
                        {100.0 / 205, 10, 100, 1.0 / 205, 1.04178},
                        {100.0 / 205, 10, 1000, 1.0 / 205, 4.61139},
                        {100.0 / 400, 10, 500, 1.0 / 400, 1.37892},
                        {100.0 / 515, 50, 1000, 1.0 / 515, 0.22154},
                        {128.0 / 6000, 1.942307, 150, 1e-3, 0.32370},
                        {0.2, 1.919410, 200, 1e-5, 7.80040},
                        {0.02, 0.6, 2000, 1e-9, 28.8219974},
                        {0.01, 0.3, 10, 1e-5, 14.8281560},
                        {0.01, 1, 1, 1e-5, 0.19945045}}) {
    SCOPED_TRACE(c.epsilon);
    expect_just_below(epsilon(sampled_pair(c.rate, 1 / c.multiplier), c.rounds, c.delta), c.epsilon,
                      0.01, 2e-5);
  }
}

TEST(ClaimProfile, ReplacedUnitsToo) {
  for (const Case& c : {Case{0.01, 1, 100, 1e-5, 0.8951248},
                        {0.5, 4, 50, 1e-5, 8.5155503},
                        {0.02, 0.7, 1000, 1e-7, 14.822208}}) {
    SCOPED_TRACE(c.epsilon);
    expect_just_below(epsilon(opposite_pair(c.rate, 1 / c.multiplier), c.rounds, c.delta),
                      c.epsilon, 0.02, 2e-5);
  }
}

// privacy.md 2.3: theorem 27 would say 1.48.
TEST(ClaimProfile, KnownParticipationHidesNothing) {
  expect_just_below(epsilon(plain_pair(1), 100, 1e-5, 0.01), 8.62, 1e-3, 1e-3);
  EXPECT_NEAR(epsilon(plain_pair(0.1), 100, 1e-5, 1), epsilon(plain_pair(0.1), 100, 1e-5), 1e-9);
  // Draws within the known rounds: never above those of all rounds, nor below those of one.
  const DominatingPair pair = sampled_pair(0.3, 1);
  const double some = epsilon(pair, 50, 1e-5, 0.4);
  EXPECT_LT(some, epsilon(pair, 50, 1e-5));
  EXPECT_GT(some, epsilon(pair, 20, 1e-5));
}

TEST(ClaimProfile, ADrawOfFixedSizeIsNeverBetterThanACoin) {
  // One client stands in for another of opposite sign: 2 steps against none.
  EXPECT_GT(epsilon(sampled_pair(0.1, 2), 20, 1e-5), epsilon(opposite_pair(0.1, 1), 20, 1e-5));
}

TEST(ClaimProfile, RepeatedDrawsAddUp) {
  EXPECT_NEAR(epsilon(repeated_pair(1, 1, 0.5, false), 1, 1e-5), epsilon(plain_pair(0.5), 1, 1e-5),
              1e-6);
  // One draw from m is the coin of rate 1/m.
  EXPECT_NEAR(epsilon(repeated_pair(1, 10, 1, true), 20, 1e-5),
              epsilon(opposite_pair(0.1, 1), 20, 1e-5), 1e-6);
  double first = 0, second = 0;
  for (const Atom& atom : repeated_pair(7, 9, 1, true)) first += atom.first, second += atom.second;
  EXPECT_NEAR(first, 1, 1e-12);
  EXPECT_NEAR(second, 1, 1e-12);
  EXPECT_GT(epsilon(repeated_pair(10, 100, 1, false), 20, 1e-5),
            epsilon(sampled_pair(0.1, 1), 20, 1e-5));
}

TEST(ClaimProfile, OpposedPartsShiftTheRest) {
  const DominatingPair alone = opposed_pair(0.2, 1, 0, false);
  EXPECT_NEAR(epsilon(alone, 10, 1e-5), epsilon(sampled_pair(0.2, 1), 10, 1e-5), 1e-6);
  // Both parts without a draw: their difference.
  EXPECT_NEAR(epsilon(opposed_pair(1, 1, 0.3, false), 1, 1e-5), epsilon(plain_pair(0.7), 1, 1e-5),
              1e-6);
}

TEST(ClaimProfile, BoundsFallWithEpsilonAndRiseWithRounds) {
  const DominatingPair pair = sampled_pair(0.1, 0.8);
  double before = 1;
  for (double e : {0.2, 0.5, 1.0, 2.0, 4.0}) {
    const double here = composed_delta(pair, 30, e);
    EXPECT_LT(here, before);
    EXPECT_LT(composed_delta(pair, 10, e), here);
    before = here;
  }
}

// Largest number of Box and Muller with 32 bits; what lies beyond 5.4 of it is 3e-8.
TEST(ClaimProfile, CutNoiseLeavesHoles) {
  EXPECT_NEAR(std::sqrt(2 * 33 * std::log(2.0)), 6.7637, 1e-4);
  EXPECT_NEAR(cut_tail(5.41, 6.7637) / 3.15e-8, 1, 0.05);
  EXPECT_EQ(cut_tail(6.7637, 6.7637), 0);
  EXPECT_NEAR(cut_tail(0, 6.7637), 0.5, 1e-9);
  EXPECT_NEAR(cut_tail(-100, 6.7637), 1, 1e-9);
}

}  // namespace trilemma::claims::profile_test
