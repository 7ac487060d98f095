// Releases in closed form: the Gaussian mechanism and a single Poisson-subsampled one, against
// values with 80 digits (mpmath).

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privacy/accountant/one_step.hpp"
#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::gaussian_test {

using testing::plain;
using testing::poisson;
using Kind = DominatingPair::Kind;

constexpr double inf = std::numeric_limits<double>::infinity();

struct Exact {
  double z, epsilon, delta;
};
constexpr Exact gaussian[] = {
    {0.3, 30, 3.436473568135017e-14},  {1, 8, 3.6508216874217909e-15},
    {50, 0.01, 0.0039756589593805754}, {1, 0, 0.38292492254802621},
    {0.1, 10, 0.99994659771914988},    {0.3, 0.5, 0.87822261633462831},
    {5, 2, 4.0437035667648971e-25},    {1000, 1e-4, 0.00035095286201566587},
    {2, 15, 1.4300311084360289e-196},
};

TEST(GaussianRelease, DeltaOfEpsilon) {
  for (const auto& [z, eps, wanted] : gaussian) {
    const Result result = delta(plain(z, 1), eps);
    EXPECT_NEAR(result.value / wanted, 1, 1e-12) << z << ' ' << eps;
    EXPECT_EQ(result.method, "gaussian");
    EXPECT_TRUE(result.certified);
    EXPECT_NEAR(log_delta({Kind::remove, 1, z}, eps), std::log(wanted), 1e-12);
    EXPECT_NEAR(log_delta({Kind::add, 1, z}, eps), std::log(wanted), 1e-12);
    EXPECT_NEAR(log_delta({Kind::replace, 1, 2 * z}, eps), std::log(wanted), 1e-12);
  }
}

TEST(GaussianRelease, EpsilonOfDelta) {
  for (const auto& [z, eps, wanted] : gaussian) {
    if (eps == 0 || wanted > 0.5) continue;
    const Result result = epsilon(plain(z, 1), wanted);
    EXPECT_NEAR(result.value / eps, 1, 1e-10) << z << ' ' << eps;
    EXPECT_LE(result.lower, result.upper);
  }
}

TEST(GaussianRelease, EpsilonIsZeroWhereDeltaAllowsIt) {
  // delta(0) = 2 Phi(1/(2z)) - 1 = 0.38292... at z = 1.
  EXPECT_EQ(epsilon(plain(1, 1), 0.383).value, 0);
  EXPECT_GT(epsilon(plain(1, 1), 0.3829).value, 0);
  EXPECT_EQ(epsilon(plain(1e6, 1), 1e-3).value, 0);
}

TEST(GaussianRelease, ComposesInSquares) {
  for (const double t : {2.0, 100.0, 1e5, 1e12})
    for (const double z : {0.3, 1.0, 50.0})
      for (const double d : {1e-2, 1e-5, 1e-30}) {
        const double wanted = epsilon(plain(z / std::sqrt(t), 1), d).value;
        EXPECT_NEAR(epsilon(plain(z, t), d).value, wanted, 1e-11 * wanted);
      }
  // 1/3^2 + 1/4^2 = 1/2.4^2.
  Composition two = plain(3, 1);
  two.components.push_back({Sampling::none, 1, 4, 1});
  EXPECT_NEAR(epsilon(two, 1e-5).value, epsilon(plain(2.4, 1), 1e-5).value, 1e-12);
  EXPECT_NEAR(gaussian_pair(two).sigma(), 2.4, 1e-14);
}

// The dominating pairs in both directions and for replaced units.
struct Sampled {
  double q, z, epsilon, remove, add, replace;
};
constexpr Sampled sampled[] = {
    {0.01, 1, 0.5, 2.2145190131530616e-7, 0.0, 2.4556480584845332e-7},
    {1e-4, 0.3, 3, 1.3580193333806058e-6, 0.0, 1.3581267804203879e-6},
    {0.9, 5, 2, 3.201546950418969e-27, 4.9621366005921426e-61, 1.2000819020096858e-9},
    {0.5, 0.5, 0.1, 0.32587152319821054, 0.29009997371809397, 0.45222919228260943},
    {0.1, 20, 0.02, 1.5437422916476681e-7, 4.830041070805021e-9, 8.6188802044029861e-5},
    {1e-6, 0.7, 1, 6.5517846842846971e-28, 0.0, 6.5518538270162711e-28},
    {0.999, 2, 1, 0.0068017947677997973, 0.006754187089450118, 0.12653743198370546},
};

TEST(OneStep, DeltaOfEveryPair) {
  for (const auto& s : sampled) {
    EXPECT_NEAR(std::exp(log_delta({Kind::remove, s.q, s.z}, s.epsilon)) / s.remove, 1, 1e-11);
    EXPECT_NEAR(std::exp(log_delta({Kind::replace, s.q, s.z}, s.epsilon)) / s.replace, 1, 1e-11);
    const double add = log_delta({Kind::add, s.q, s.z}, s.epsilon);
    if (s.add == 0) {
      EXPECT_EQ(add, -inf);
    } else {
      EXPECT_NEAR(std::exp(add) / s.add, 1, 1e-11);
    }
  }
}

TEST(OneStep, TheRelationChoosesThePairs) {
  for (const auto& s : sampled) {
    for (const Relation relation : {Relation::add_remove, Relation::zero_out}) {
      const Result result = delta(poisson(s.q, s.z, 1, relation), s.epsilon);
      EXPECT_EQ(result.method, "one_step");
      EXPECT_NEAR(result.value / std::max(s.remove, s.add), 1, 1e-11);
      EXPECT_EQ(pairs_of(relation, {Sampling::poisson, s.q, s.z, 1}).size(), 2U);
    }
    const Result replaced = delta(poisson(s.q, s.z, 1, Relation::replace_one), s.epsilon);
    EXPECT_NEAR(replaced.value / s.replace, 1, 1e-11);
    EXPECT_NEAR(epsilon(poisson(s.q, s.z, 1, Relation::replace_one), s.replace).value / s.epsilon,
                1, 1e-9);
  }
}

TEST(OneStep, LossAndItsInverse) {
  for (const Kind kind : {Kind::remove, Kind::add, Kind::replace})
    for (const double q : {1e-4, 0.3, 1.0})
      for (const double z : {0.3, 1.0, 20.0}) {
        const DominatingPair pair(kind, q, z);
        double last = -inf;
        for (double x = -3 * z; x <= 3 * z; x += 0.37 * z) {
          const double loss = pair.loss(x);
          EXPECT_GE(loss, last);
          last = loss;
          if (std::abs(loss) < 1) {
            EXPECT_NEAR(pair.excess(x), std::expm1(loss), 1e-12 * std::abs(loss));
          }
          EXPECT_NEAR(pair.loss(pair.where(loss)), loss, 1e-12 * (1 + std::abs(loss)));
        }
      }
}

}  // namespace trilemma::accounting::gaussian_test
