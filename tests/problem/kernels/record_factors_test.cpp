// Passes over factors of records (src/problem/kernels/record_factors.hpp) against the formulas, one
// record at a time.

#include "problem/kernels/record_factors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace trilemma::record_factors_test {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

real clipped(real factor, double length, double threshold, bool is_smooth) {
  const double norm = std::abs(static_cast<double>(factor)) * length;
  const double weight =
      is_smooth ? threshold / (threshold + norm) : (norm <= threshold ? 1 : threshold / norm);
  if (!std::isnormal(weight)) return 0;
  const auto product = static_cast<real>(static_cast<double>(factor) * weight);
  return std::abs(product) < smallest_factor ? real{0} : product;
}

TEST(RecordFactors, EachIsClippedByItself) {
  const double lengths[] = {2, 0.1, 3, 1e300, 0, inf, 7, nan};
  const double values[] = {0.5, -0.25, 1, -1e-30, 0.75, 0.5, 0, -2, 1e30, nan, -inf};
  for (const bool is_smooth : {false, true})
    for (std::size_t count = 0; count < 40; ++count) {
      Vector factor(count);
      std::vector<double> length(count);
      for (std::size_t i = 0; i < count; ++i) {
        factor[i] = static_cast<real>(values[i % 11]);
        length[i] = lengths[i % 8];
      }
      Vector expected(count);
      double largest = -inf;
      std::size_t not_finite = 0;
      std::size_t longer = 0;
      for (std::size_t i = 0; i < count; ++i) {
        expected[i] = clipped(factor[i], length[i], 0.5, is_smooth);
        const auto norm = std::abs(static_cast<double>(expected[i])) * length[i];
        if (!std::isnan(norm)) largest = std::max(largest, norm);
        const double before = std::abs(static_cast<double>(factor[i])) * length[i];
        not_finite += std::isfinite(before) ? 0U : 1U;
        longer += std::isfinite(before) && before > 0.5 ? 1U : 0U;
      }
      const NormsOfFactors found = clip_factors(length, 0.5, is_smooth, factor);
      EXPECT_EQ(factor, expected) << count;
      EXPECT_EQ(found.largest, largest) << count;
      EXPECT_EQ(found.not_finite, not_finite) << count;
      EXPECT_EQ(found.clipped, longer) << count;
    }
}

// |factor| length is 0.75 and 0.25; G = 0.5 scales the first by 2/3.
TEST(RecordFactors, LargestNormIsThatAfterClipping) {
  Vector factor{real{0.75}, real{-0.25}};
  const double length[] = {1, 1};
  const NormsOfFactors found = clip_factors(length, 0.5, false, factor);
  EXPECT_NEAR(found.largest, 0.5, 1e-7);
  EXPECT_EQ(factor[1], real{-0.25});
  Vector short_factor{real{0.125}, real{-0.25}};
  EXPECT_EQ(clip_factors(length, 0.5, false, short_factor).largest, 0.25);
}

// Labels 0 and 1 of classes stand for -1 and +1; 1 / (1 + exp(log 3)) = 1/4.
TEST(RecordFactors, LogisticFactorsHaveTheSignAgainstTheLabel) {
  const std::int32_t label[] = {0, 1};
  double margin[] = {-std::log(3.0), std::log(3.0)};
  Vector factor(2);
  logistic_factors(label, 2, -1, margin, factor);
  EXPECT_NEAR(factor[0], 0.25, 1e-7);
  EXPECT_NEAR(factor[1], -0.25, 1e-7);
  EXPECT_EQ(margin[0], std::log(3.0));
}

TEST(RecordFactors, ProductsWithFactorZeroAreZero) {
  const Vector factor{real{0}, real{2}};
  Vector out(2);
  weigh_factors(factor, 0.5, std::numeric_limits<real>::infinity(), out);
  EXPECT_EQ(out[0], real{0});
  EXPECT_EQ(out[1], std::numeric_limits<real>::infinity());
}

}  // namespace trilemma::record_factors_test
