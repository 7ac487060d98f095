// What errors of an attack prove (src/privacy/accountant/audit_bounds.hpp), against published
// values and a plain sum.

#include "privacy/accountant/audit_bounds.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace trilemma::accounting::audit_bounds_test {

constexpr double confidence = 0.95;
constexpr double delta = 1e-5;

TEST(AuditBounds, NoErrorsAtAll) {
  const ErrorLimits found = error_limits(0, 1000, 0, 1000, confidence);
  EXPECT_NEAR(found.false_positive, 0.003682, 5e-7);
  EXPECT_EQ(found.false_positive, found.false_negative);
  EXPECT_NEAR(found.false_positive, 1 - std::pow(0.025, 1e-3), 1e-12);  // closed form for k = 0
  EXPECT_NEAR(epsilon_lower_bound(found, delta), 5.6006, 5e-5);
  EXPECT_LT(epsilon_lower_bound(found, delta), std::log(1000 / 3.6));
}

TEST(AuditBounds, SomeErrors) {
  const ErrorLimits found = error_limits(20, 1000, 50, 1000, confidence);
  EXPECT_NEAR(found.false_positive, 0.030720, 5e-7);
  EXPECT_NEAR(found.false_negative, 0.065390, 5e-7);
  EXPECT_NEAR(epsilon_lower_bound(found, delta), 3.4152, 5e-5);
  EXPECT_NEAR(mu_lower_bound(found), 3.3813, 5e-5);
}

TEST(AuditBounds, ManyRuns) {
  const ErrorLimits found = error_limits(5, 5000, 100, 5000, confidence);
  EXPECT_NEAR(epsilon_lower_bound(found, delta), 6.0364, 5e-5);
  // The other direction counts as well.
  EXPECT_NEAR(epsilon_lower_bound({found.false_negative, found.false_positive}, delta), 6.0364,
              5e-5);
}

// BetaInv(c; k+1, n-k) is where P[Binomial(n, p) <= k] = 1 - c.
TEST(AuditBounds, LimitsInvertTheBinomialLaw) {
  for (const double level : {0.95, 1 - 1e-6})
    for (const double k : {0.0, 3.0, 97.0}) {
      const double p = clopper_pearson_upper(k, 100, level);
      EXPECT_NEAR(cdf(boost::math::binomial(100, p), k) / (1 - level), 1, 1e-9);
    }
  EXPECT_EQ(clopper_pearson_upper(100, 100, 0.95), 1);
}

TEST(AuditBounds, NothingFollowsFromGuessing) {
  EXPECT_EQ(epsilon_lower_bound(error_limits(500, 1000, 500, 1000, confidence), delta), 0);
  EXPECT_EQ(mu_lower_bound(error_limits(500, 1000, 500, 1000, confidence)), 0);
  EXPECT_EQ(epsilon_lower_bound(error_limits(1000, 1000, 1000, 1000, confidence), delta), 0);
  EXPECT_EQ(mu_lower_bound(error_limits(1000, 1000, 0, 1000, confidence)), 0);
  EXPECT_EQ(epsilon_lower_bound(error_limits(0, 1000, 0, 1000, confidence), 0.999), 0);
}

TEST(AuditBounds, EpsilonOfAGaussian) {
  EXPECT_EQ(gaussian_epsilon(0, delta), 0);
  EXPECT_NEAR(gaussian_epsilon(1, delta), 4.3771780956812246, 1e-9);
  EXPECT_LE(gaussian_epsilon(1, delta), 4.3771780956812246 + 1e-12);
  EXPECT_LT(gaussian_epsilon(0.5, delta), gaussian_epsilon(0.6, delta));
}

TEST(OneRunAudit, PublishedValues) {
  EXPECT_NEAR(one_run_epsilon({1000, 1000, 900}, 0, confidence), 2.0212, 5e-5);
  EXPECT_NEAR(one_run_epsilon({1000, 1000, 900}, delta, confidence), 2.0206, 5e-5);
  EXPECT_NEAR(one_run_epsilon({1000, 100, 100}, delta, confidence), 3.4654, 5e-5);
  EXPECT_NEAR(one_run_epsilon({100, 100, 65}, 0, confidence), 0.2571, 5e-5);
}

TEST(OneRunAudit, PValueIsTheSumByItsDefinition) {
  const double epsilon = 1.3;
  const double p = std::exp(epsilon) / (1 + std::exp(epsilon));
  const boost::math::binomial law(40, p);
  double most = 0;
  for (int i = 1; i <= 33; ++i) {
    double part = 0;
    for (int w = 33 - i; w < 33; ++w) part += pdf(law, w);
    most = std::max(most, part / i);
  }
  const double expected = cdf(complement(law, 32)) + 2 * 80 * 1e-3 * most;
  EXPECT_NEAR(one_run_p_value({80, 40, 33}, epsilon, 1e-3) / expected, 1, 1e-12);
}

TEST(OneRunAudit, BoundsAreMonotone) {
  EXPECT_LT(one_run_epsilon({1000, 100, 90}, delta, confidence),
            one_run_epsilon({1000, 100, 91}, delta, confidence));
  EXPECT_LT(one_run_epsilon({1000, 100, 90}, delta, 1 - 1e-6),
            one_run_epsilon({1000, 100, 90}, delta, confidence));
  EXPECT_LT(one_run_epsilon({1000, 100, 90}, 1e-3, confidence),
            one_run_epsilon({1000, 100, 90}, delta, confidence));
  EXPECT_EQ(one_run_epsilon({1000, 100, 50}, delta, confidence), 0);
  EXPECT_EQ(one_run_epsilon({1000, 100, 0}, delta, confidence), 0);
  EXPECT_EQ(one_run_p_value({10, 0, 0}, 1, delta), 1);
  // No overflow far out.
  const double far = one_run_epsilon({5000, 5000, 5000}, 0, confidence);
  EXPECT_NEAR(far, std::log(5000 / -std::log(1 - confidence)), 1e-3);
  EXPECT_EQ(one_run_p_value({1000, 1000, 1}, 700, 0), 1);
}

TEST(AuditBounds, RefuseNumbersOutOfRange) {
  EXPECT_THROW(clopper_pearson_upper(3, 2, 0.95), std::invalid_argument);
  EXPECT_THROW(clopper_pearson_upper(0, 0, 0.95), std::invalid_argument);
  EXPECT_THROW(clopper_pearson_upper(1, 2, 1), std::invalid_argument);
  EXPECT_THROW(epsilon_lower_bound({}, 1), std::invalid_argument);
  EXPECT_THROW(one_run_epsilon({10, 11, 5}, 0, 0.95), std::invalid_argument);
  EXPECT_THROW(one_run_epsilon({10, 9, 10}, 0, 0.95), std::invalid_argument);
}

}  // namespace trilemma::accounting::audit_bounds_test
