// The Poisson-binomial mechanism (src/privacy/accountant/poisson_binomial.hpp) against convolutions
// and external values (joint mechanisms, section 4 of the specification).

#include "privacy/accountant/poisson_binomial.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trilemma::accounting::poisson_binomial_test {

using Law = std::vector<double>;

// Law of the number of heads of coins with these probabilities.
Law heads(const std::vector<double>& coins) {
  Law law{1};
  for (const double p : coins) {
    Law next(law.size() + 1);
    for (std::size_t k = 0; k < law.size(); ++k) {
      next[k] += (1 - p) * law[k];
      next[k + 1] += p * law[k];
    }
    law = next;
  }
  return law;
}

double divergence(const Law& p, const Law& q, double epsilon) {
  double sum = 0;
  for (std::size_t k = 0; k < p.size(); ++k) sum += std::max(0.0, p[k] - std::exp(epsilon) * q[k]);
  return sum;
}

// Largest delta over K, with client 1's m coins at 1/2 + theta against `other`, in one order.
double exact_delta(const PoissonBinomial& r, double other, double epsilon, bool swapped) {
  const int others = static_cast<int>((r.clients - 1) * r.trials);
  double most = 0;
  for (int k = 0; k <= others; ++k) {
    std::vector<double> coins(static_cast<std::size_t>(others), 0.5 - r.theta);
    std::fill_n(coins.begin(), k, 0.5 + r.theta);
    const auto with = [&](double p) {
      std::vector<double> all = coins;
      all.insert(all.end(), static_cast<std::size_t>(r.trials), p);
      return heads(all);
    };
    const Law p = with(0.5 + r.theta), q = with(other);
    most = std::max(most, swapped ? divergence(q, p, epsilon) : divergence(p, q, epsilon));
  }
  return most;
}

double delta_of(const LossAtoms& pair, double epsilon) {
  double sum = pair.infinite();
  for (const LossAtom& atom : pair.atoms())
    if (atom.loss > epsilon) sum += atom.mass * -std::expm1(epsilon - atom.loss);
  return sum;
}

// The worst K depends on epsilon: 1 at .05, 0 at .2.
TEST(PoissonBinomial, ExternalValuesOfACoordinate) {
  const PoissonBinomial r{.clients = 10, .trials = 2, .theta = 0.25};
  EXPECT_NEAR(exact_delta(r, 0.25, 0.05, false), 0.189427, 1e-6);
  EXPECT_NEAR(exact_delta(r, 0.25, 0.2, false), 0.142274, 1e-6);
  EXPECT_NEAR(delta_of(coordinate_loss(r), 0.05), 0.189427, 2e-4);
  EXPECT_NEAR(delta_of(coordinate_loss(r), 0.2), 0.142274, 2e-4);
}

TEST(PoissonBinomial, CurvesCoverAllOthersInBothOrders) {
  for (const double theta : {0.05, 0.25, 0.45})
    for (const double clients : {1.0, 2.0, 7.0})
      for (const double trials : {1.0, 3.0}) {
        const PoissonBinomial r{.clients = clients, .trials = trials, .theta = theta};
        PoissonBinomial zero = r;
        zero.relation = Relation::zero_out;
        const LossAtoms replaced = coordinate_loss(r);
        for (const bool swapped : {false, true}) {
          const LossAtoms zeroed = coordinate_loss(zero, swapped);
          for (const double epsilon : {-0.5, -0.02, 0.0, 0.01, 0.1, 0.4, 1.0, 2.5}) {
            SCOPED_TRACE(::testing::Message() << theta << ' ' << clients << ' ' << trials << ' '
                                              << swapped << ' ' << epsilon);
            const double exact = exact_delta(r, 0.5 - theta, epsilon, swapped);
            EXPECT_GE(delta_of(replaced, epsilon), exact - 1e-13);
            EXPECT_LE(delta_of(replaced, epsilon), exact + 0.01 * theta);
            const double half = exact_delta(zero, 0.5, epsilon, swapped);
            EXPECT_GE(delta_of(zeroed, epsilon), half - 1e-13);
            EXPECT_LE(delta_of(zeroed, epsilon), half + 0.01 * theta);
          }
        }
      }
}

TEST(PoissonBinomial, ExternalValuesOfAllCoordinates) {
  const Result one = poisson_binomial_epsilon({100, 1, 0.1445, 256}, 1, 1e-5);
  EXPECT_NEAR(one.value, 4.297, 1e-3);
  EXPECT_NEAR(one.lower, 4.2366, 3e-3);
  EXPECT_NEAR(poisson_binomial_epsilon({100, 4, 0.07225, 256}, 1, 1e-5).value, 4.069, 1e-3);
  EXPECT_NEAR(poisson_binomial_epsilon({500, 1, 0.041698, 1000}, 1, 1e-6).value, 1.00277, 3e-4);
  // Two steps of 128 coordinates are one of 256.
  EXPECT_NEAR(poisson_binomial_epsilon({100, 1, 0.1445, 128}, 2, 1e-5).value, one.value, 1e-9);
}

TEST(PoissonBinomial, ZeroedClientsMoveHalfAsMuch) {
  const Result half = poisson_binomial_epsilon({100, 1, 0.1445, 256, Relation::zero_out}, 1, 1e-5);
  EXPECT_GT(half.value, 0.40 * 4.297);
  EXPECT_LT(half.value, 0.50 * 4.297);
  EXPECT_LE(half.lower, half.value);
}

TEST(PoissonBinomial, ThetaMeetsATarget) {
  for (const double trials : {1.0, 4.0}) {
    const PoissonBinomial r = calibrate_theta({50, trials, 0.1, 64}, 3, 2, 1e-5);
    const double found = poisson_binomial_epsilon(r, 3, 1e-5, {1e-5, 1U << 20U}).value;
    EXPECT_LE(found, 2) << trials;
    EXPECT_GT(found, 2 * (1 - 5e-4)) << trials;
  }
}

TEST(PoissonBinomial, WhatHasNoTheoremIsRefused) {
  EXPECT_THROW(coordinate_loss({10, 1, 0.5, 4}), std::invalid_argument);
  EXPECT_THROW(coordinate_loss({10, 0, 0.1, 4}), std::invalid_argument);
  EXPECT_THROW(coordinate_loss({10.5, 1, 0.1, 4}), std::invalid_argument);
  EXPECT_THROW(coordinate_loss({16385, 1, 0.1, 4}), std::invalid_argument);
  EXPECT_THROW(coordinate_loss({10, 17, 0.1, 4, Relation::zero_out}), std::invalid_argument);
  EXPECT_THROW(coordinate_loss({10, 1, 0.1, 4, Relation::add_remove}), UnsupportedClaim);
}

}  // namespace trilemma::accounting::poisson_binomial_test
