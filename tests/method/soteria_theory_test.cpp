// Closed forms of the theory of SoteriaFL (src/method/soteria_theory.cpp; spec algorithms.md 6.3):
// figures of the specification for a9a, and values by hand.

#include "method/soteria_theory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "memory/memory.hpp"

namespace trilemma::soteria_theory_test {

// n = 10, m = 3,256, d = 124, rand-k with k = 6, G = 0.5, L = 1.
TheoryCase a9a(Corollary corollary) {
  TheoryCase c{.corollary = corollary,
               .clients = 10,
               .records = 3256,
               .dimension = 124,
               .omega = 124.0 / 6 - 1,
               .threshold = 0.5};
  c.batch = static_cast<double>(theory_batch(c, {.epsilon = 1, .delta = 1e-3}));
  c.snapshot = theory_snapshot(c);
  return c;
}
TheoryNoise noise(double epsilon, double constant) {
  return {.epsilon = epsilon, .delta = 1e-3, .constant = constant};
}

TEST(SoteriaTheory, FiguresOfTheSpecification) {
  const TheoryCase c = a9a(Corollary::sgd);
  EXPECT_NEAR(theory_tau(c), 29.7102, 5e-5);
  EXPECT_NEAR(theory_beta(c), 0.7187953, 5e-8);
  EXPECT_NEAR(theory_shift_step(c.omega), 0.04779819, 5e-9);
  EXPECT_EQ(theory_batch(c, noise(1, 12)), 10);
  EXPECT_EQ(theory_batch(c, noise(5, 12)), 51);
  EXPECT_EQ(theory_batch(c, noise(10, 12)), 103);
  EXPECT_EQ(a9a(Corollary::svrg).batch, 54);
  EXPECT_DOUBLE_EQ(a9a(Corollary::svrg).snapshot, 54.0 / 3256);
  TheoryCase mnist = c;
  mnist.corollary = Corollary::svrg;
  mnist.records = 6000;
  mnist.batch = static_cast<double>(theory_batch(mnist, {}));
  EXPECT_EQ(mnist.batch, 82);
  EXPECT_NEAR(theory_snapshot(mnist), 0.0136667, 5e-8);
  EXPECT_EQ(a9a(Corollary::saga).batch, 659);  // 3 * 3256^(2/3) = 659.0...
  EXPECT_EQ(a9a(Corollary::gd).batch, 3256);
}

// omega = 3, n = 64: tau = 8/8 = 1. SGD: beta = 1/8, eta = 1/(3 L). Minibatch with m = 100, eps =
// 2, G = 3, L = 2, d = 9, delta = 1/e: 100 * 2 * 3 * sqrt(1/8) / sqrt(4 * 2 * 9) = 600/24 = 25.
TEST(SoteriaTheory, SgdByHand) {
  TheoryCase c{.corollary = Corollary::sgd,
               .clients = 64,
               .records = 100,
               .dimension = 9,
               .omega = 3,
               .threshold = 3,
               .smoothness = 2,
               .batch = 20};
  const TheoryNoise wanted{.epsilon = 2, .delta = std::exp(-1.0), .constant = 1.0 / 9};
  EXPECT_DOUBLE_EQ(theory_tau(c), 1);
  EXPECT_DOUBLE_EQ(theory_beta(c), 0.125);
  EXPECT_DOUBLE_EQ(theory_rate(c), 1.0 / 6);
  EXPECT_EQ(theory_batch(c, wanted), 25);
  EXPECT_EQ(theory_batch(c, {.epsilon = 100, .delta = std::exp(-1.0)}), 100);
  EXPECT_EQ(theory_batch(c, {.epsilon = 0.01, .delta = std::exp(-1.0)}), 1);
  // sigma^2 of a round = (1/9) * 9 / (100 * 2)^2 = 1/40000, times d: 9/40000. Phi0 = 1/4 + (1/8)
  // 9/2 = 13/16. sqrt(2 * 4 * 2 * (13/16) / (3/8 * 9/40000)) = sqrt(13 / (27/320000)) = 392.523...;
  // C2 = (80/2000) * 9 = 0.36, and 0.36 / (9/40000) = 1600 is more.
  EXPECT_EQ(theory_rounds(c, wanted, 0.25), 1600);
  c.batch = 100;
  EXPECT_EQ(theory_rounds(c, wanted, 0.25), 393);
  c.corollary = Corollary::gd;
  EXPECT_EQ(theory_rounds(c, wanted, 0.25), 393);
  EXPECT_EQ(theory_rounds(c, {.epsilon = 1e-9, .delta = 0.5}, 0.25), 1);
  // 2 * (13/16) / (0.1 * 50) + 3/8 / (4 * 2 * 0.1) * (0.36 + 9 * 0.04) = 0.325 + 0.46875 * 0.72.
  c.corollary = Corollary::sgd;
  c.batch = 20;
  EXPECT_NEAR(utility_bound(c, 0.1, 50, 0.2, 0.25), 0.325 + 0.46875 * 0.72, 1e-12);
}

// m = 4096: b = 16^2/4 = 64, p = 1/64, p^(2/3) b^(1/3) = 1/4. With omega = 3, n = 16: tau = 2, so
// that eta = 1/(4 * 2 * 2 L) and beta = (1/16) * 16/4 / 16 = 1/64.
TEST(SoteriaTheory, SvrgByHand) {
  TheoryCase c{.corollary = Corollary::svrg, .clients = 16, .records = 4096, .omega = 3};
  c.batch = static_cast<double>(theory_batch(c, {}));
  EXPECT_EQ(c.batch, 64);
  c.snapshot = theory_snapshot(c);
  EXPECT_DOUBLE_EQ(c.snapshot, 1.0 / 64);
  EXPECT_NEAR(theory_beta(c), 1.0 / 64, 1e-15);
  EXPECT_NEAR(theory_rate(c), 1.0 / 16, 1e-15);
  c.smoothness = 5;
  EXPECT_NEAR(theory_rate(c), 1.0 / 80, 1e-16);
  c.snapshot = 0;
  EXPECT_EQ(theory_rate(c), 0);
}

// m = 1000: b = 3 * 100. With omega = 3, n = 16: eta = 1/(6 L), beta = 16/4/48 = 1/12; with n = 64,
// tau = 1: eta = 1/(3 L), beta = 16/192 = 1/12.
TEST(SoteriaTheory, SagaByHand) {
  TheoryCase c{.corollary = Corollary::saga, .clients = 16, .records = 1000, .omega = 3};
  c.batch = static_cast<double>(theory_batch(c, {}));
  EXPECT_EQ(c.batch, 300);
  EXPECT_NEAR(theory_beta(c), 1.0 / 12, 1e-15);
  EXPECT_NEAR(theory_rate(c), 1.0 / 6, 1e-15);
  c.clients = 64;
  EXPECT_NEAR(theory_beta(c), 1.0 / 12, 1e-15);
  EXPECT_NEAR(theory_rate(c), 1.0 / 3, 1e-15);
  c.records = 20;  // 3 * 20^(2/3) = 22
  EXPECT_EQ(theory_batch(c, {}), 20);
}

// The lines of the corollaries for T, c = 48: m eps sqrt((1 + omega) L Phi0) / sqrt(3 beta c d G^2
// l) for SVRG, m eps sqrt(n L Phi0) / sqrt((1 + omega) c d G^2 l min{1, 1/tau^2}) for SAGA.
TEST(SoteriaTheory, RoundsAreThoseOfTheCorollaries) {
  const double l = std::log(1e3), start = std::numbers::ln2;
  for (const double epsilon : {1.0, 5.0, 10.0}) {
    const TheoryCase svrg = a9a(Corollary::svrg);
    const double beta = theory_beta(svrg);
    const double of_svrg = 3256 * epsilon * std::sqrt((1 + svrg.omega) * (start + beta * 0.25)) /
                           std::sqrt(3 * beta * 48 * 124 * 0.25 * l);
    EXPECT_EQ(theory_rounds(svrg, noise(epsilon, 96), start), std::ceil(of_svrg));
    const TheoryCase saga = a9a(Corollary::saga);
    const double tau = theory_tau(saga);
    const double of_saga = 3256 * epsilon * std::sqrt(10 * (start + theory_beta(saga) * 0.25)) /
                           std::sqrt((1 + saga.omega) * 48 * 124 * 0.25 * l / (tau * tau));
    EXPECT_EQ(theory_rounds(saga, noise(epsilon, 96), start), std::ceil(of_saga));
  }
  EXPECT_EQ(theory_rounds(a9a(Corollary::svrg), noise(1, 96), start), 1299);
  EXPECT_EQ(theory_rounds(a9a(Corollary::saga), noise(1, 96), start), 555);
  EXPECT_EQ(theory_rounds(a9a(Corollary::sgd), noise(1, 12), start), 263);
}

double corollary_of(const TheoryCase& c) {
  const double tau = theory_tau(c);
  const double factor = std::pow(c.snapshot, 2.0 / 3) * std::cbrt(c.batch);
  if (c.corollary == Corollary::svrg) return factor * std::min(1.0, 1 / tau) / 2;
  return c.corollary == Corollary::saga ? std::min(1.0, 1 / tau) / 3 : 1 / (1 + 2 * tau);
}

// The steps of the corollaries fulfil the theorem, except for SVRG with few clients and little
// compression, where the theorem's step is taken: n = 1, omega = 0 and m = 4096 give beta = 1/16,
// alpha = 3/16 and 2 alpha C3 / eta^2 = 48 (1 - p).
TEST(SoteriaTheory, StepsFulfilTheTheorem) {
  for (const Corollary one : {Corollary::gd, Corollary::sgd, Corollary::svrg, Corollary::saga})
    for (const double omega : {0.0, 1.0, 3.0, 20.0})
      for (const double clients : {10.0, 100.0, 1000.0}) {
        TheoryCase c = a9a(one);
        c.omega = omega;
        c.clients = clients;
        if (one == Corollary::svrg && omega == 1 && clients == 10)
          EXPECT_LT(theory_rate(c), 0.8 * corollary_of(c));
        else
          EXPECT_DOUBLE_EQ(theory_rate(c), corollary_of(c)) << omega << ' ' << clients;
      }
  TheoryCase alone{.corollary = Corollary::svrg, .records = 4096, .batch = 64};
  alone.snapshot = 1.0 / 64;
  const double alpha = 3.0 / 16;
  const double common = 1 + 2 * alpha + 4.0 / 16;
  EXPECT_NEAR(theory_rate(alone), 1 / (common + 48.0 * 63 / 64), 1e-12);
}

// More rounds, less noise, a larger step and a larger minibatch lower the bound.
TEST(SoteriaTheory, BoundFallsWithNoiseAndRounds) {
  const TheoryCase c = a9a(Corollary::sgd);
  const double rate = theory_rate(c);
  const double bound = utility_bound(c, rate, 100, 0.1, 0.7);
  EXPECT_LT(utility_bound(c, rate, 200, 0.1, 0.7), bound);
  EXPECT_LT(utility_bound(c, rate, 100, 0.05, 0.7), bound);
  EXPECT_GT(utility_bound(c, rate / 2, 100, 0.1, 0.7), bound);
  TheoryCase larger = c;
  larger.batch = 2 * c.batch;
  EXPECT_LT(utility_bound(larger, rate, 100, 0.1, 0.7), bound);
}

}  // namespace trilemma::soteria_theory_test
