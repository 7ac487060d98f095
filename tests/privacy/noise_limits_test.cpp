// What separates noise in a program from noise on paper (src/privacy/mechanism.hpp): its largest
// value, and the distance of neighbouring numbers.

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/mechanism.hpp"

namespace trilemma::noise_limits_test {

// 2 releases numbers exp(-(c - shift)^2 / 2), c^2 / 2 = 161 ln 2
TEST(TruncationDelta, ByHand) {
  EXPECT_NEAR(truncation_delta(1, 1, 0), 0x1p-160, 1e-9 * 0x1p-160);
  EXPECT_NEAR(truncation_delta(1024, 65536, 0), 0x1p-134, 1e-9 * 0x1p-134);
  const double c = largest_normal();
  EXPECT_NEAR(truncation_delta(1, 1, c - 2), 2 * std::exp(-2.0), 1e-12);
  EXPECT_EQ(truncation_delta(0, 10, 1e4), 0);
  EXPECT_EQ(truncation_delta(1, 10, 1e4), 1);  // never more than everything
}

// A million releases of a million coordinates at multiplier 1 leave room below delta = 1e-29; at a
// tenth of the noise they do not.
TEST(TruncationDelta, CoversTheSmallestDeltas) {
  EXPECT_LT(truncation_delta(1e6, 1e6, 1), 1e-29);
  EXPECT_GT(truncation_delta(1e6, 1e6, 10), 1e-10);
}

TEST(NoiseResolution, ByHand) {
  EXPECT_EQ(noise_resolution<float>(1, 1), 0x1p23);
  EXPECT_EQ(noise_resolution<double>(1, 1), 0x1p52);
  EXPECT_EQ(noise_resolution<float>(0.5, 6e7), 0.5 / 4);  // numbers of 2^25 to 2^26
  EXPECT_EQ(noise_resolution<float>(3, 0), 3 / 0x1p-149);
  EXPECT_EQ(noise_resolution<float>(1e30, 1e39), 0);  // no float
  EXPECT_EQ(noise_resolution(1, 1), noise_resolution<real>(1, 1));
  EXPECT_LT(noise_resolution<float>(5e-6, 1), least_noise_resolution);
  EXPECT_GT(noise_resolution<float>(1e-3, 1), least_noise_resolution);
}

}  // namespace trilemma::noise_limits_test
