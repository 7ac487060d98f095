// Pure local privacy (src/privacy/accountant/local_pair.hpp) against enumerated sequences, closed
// forms and the accountant of privacy loss distributions.

#include "privacy/accountant/local_pair.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "privacy/accountant/pld.hpp"

namespace trilemma::accounting::local_pair_test {

// Losses +epsilon, -epsilon and 0.
LossAtoms atoms(const LocalPair& pair) {
  const double rest = 1 - pair.zero;
  return LossAtoms({{pair.epsilon, rest / (1 + std::exp(-pair.epsilon))},
                    {-pair.epsilon, rest / (1 + std::exp(pair.epsilon))},
                    {0, pair.zero}});
}

// delta by a sum over all 3^steps sequences.
double enumerated_delta(const LocalPair& pair, int steps, double epsilon, double loss = 0,
                        double mass = 1) {
  if (steps == 0) return loss > epsilon ? mass * -std::expm1(epsilon - loss) : 0;
  double sum = 0;
  const LossAtoms one = atoms(pair);
  for (const LossAtom& atom : one.atoms())
    sum += enumerated_delta(pair, steps - 1, epsilon, loss + atom.loss, mass * atom.mass);
  return sum;
}

// Of 4 values at epsilon = ln 2, the true one has probability 2/5: losses ln 2 and -ln 2 have 2/5
// and 1/5.
TEST(LocalPair, ResponseByHand) {
  EXPECT_NEAR(response_pair(std::log(2), 4).zero, 0.4, 1e-15);
  EXPECT_EQ(response_pair(1, 2).zero, 0);
  const LocalComposition one(response_pair(std::log(2), 4), 1);
  EXPECT_NEAR(one.delta(0), 0.2, 1e-13);
  EXPECT_NEAR(one.delta(std::log(1.5)), 0.4 * (1 - 0.75), 1e-13);
  EXPECT_EQ(one.delta(std::log(2)), 0);
  EXPECT_NEAR(one.epsilon(0.1), std::log(1.5), 1e-12);
  EXPECT_EQ(one.epsilon(0), std::log(2));
  EXPECT_EQ(one.epsilon(0.3), 0);
}

TEST(LocalPair, SequencesAreCounted) {
  for (const double values : {2.0, 3.0, 16.0})
    for (const double epsilon : {0.3, 2.0})
      for (int steps = 1; steps <= 8; ++steps) {
        const LocalPair pair = response_pair(epsilon, values);
        const LocalComposition all(pair, steps);
        for (const double at : {0.0, 0.25 * epsilon, 1.1 * epsilon, (steps - 0.3) * epsilon}) {
          const double exact = enumerated_delta(pair, steps, at);
          ASSERT_NEAR(all.delta(at), exact, 1e-13 * exact) << values << ' ' << steps << ' ' << at;
          if (exact > 0) {
            ASSERT_NEAR(all.epsilon(exact), at, 1e-9) << values << ' ' << steps;
          }
        }
      }
}

TEST(LocalPair, LossDistributionsHoldIt) {
  for (const double values : {2.0, 4.0, 64.0})
    for (const double epsilon : {0.05, 1.0, 4.0})
      for (const double steps : {20.0, 3000.0}) {
        const LocalPair pair = response_pair(epsilon, values);
        const double found = LocalComposition(pair, steps).epsilon(1e-6);
        const Result grid = pld_epsilon({{atoms(pair), steps, 0}}, 1e-6);
        EXPECT_LE(grid.lower, found * (1 + 1e-9)) << values << ' ' << epsilon << ' ' << steps;
        EXPECT_GE(grid.value, found * (1 - 1e-9)) << values << ' ' << epsilon << ' ' << steps;
        EXPECT_LT(grid.value - grid.lower, 1e-3 * found);
      }
}

TEST(LocalPair, DeltaZeroAddsEpsilons) {
  EXPECT_DOUBLE_EQ(LocalComposition({0.5, 0.2}, 100).epsilon(0), 50);
  EXPECT_LT(LocalComposition({0.5, 0.2}, 1e5).epsilon(1e-6), 0.5 * 0.25 * 1e5);
}

TEST(LocalPair, MessagesMeetATarget) {
  const auto pair = [](double epsilon) { return response_pair(epsilon, 4); };
  EXPECT_EQ(message_epsilon(pair, 1, 1.5, 1e-5), 1.5);
  EXPECT_DOUBLE_EQ(message_epsilon(pair, 10, 1.5, 0), 0.15);
  for (const double steps : {2.0, 100.0, 5000.0}) {
    const double one = message_epsilon(pair, steps, 1.5, 1e-5);
    EXPECT_LE(LocalComposition(pair(one), steps).epsilon(1e-5), 1.5) << steps;
    EXPECT_GT(LocalComposition(pair(one * (1 + 1e-6)), steps).epsilon(1e-5), 1.5) << steps;
  }
}

TEST(LocalPair, NumbersOutOfRangeAreRefused) {
  EXPECT_THROW(LocalComposition({0, 0.5}, 1), std::invalid_argument);
  EXPECT_THROW(LocalComposition({101, 0.5}, 1), std::invalid_argument);
  EXPECT_THROW(LocalComposition({1, 1}, 1), std::invalid_argument);
  EXPECT_THROW(LocalComposition({1, 0.5}, 0), std::invalid_argument);
  EXPECT_THROW(LocalComposition({1, 0.5}, 1.5), std::invalid_argument);
}

}  // namespace trilemma::accounting::local_pair_test
