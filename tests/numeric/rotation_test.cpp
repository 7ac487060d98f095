// The rotation before the bound (src/numeric/rotation.hpp).

#include "numeric/rotation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/lanes.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::rotation_test {

Vector turned(const Rotation& rotation, Vector v) {
  rotation.apply(v);
  return v;
}

// d = 2: H_2 S_2 H_2 S_1 of the unit vectors; every entry of H_2 S H_2 is 0 or +-1.
TEST(Rotation, OfTwoCoordinatesTurnsOrSwapsThem) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Vector first = turned(Rotation(seed, 2), {1, 0});
    EXPECT_NEAR(std::abs(first[0]) + std::abs(first[1]), 1, testing::rounding * 4);
    EXPECT_NEAR(std::abs(first[0] * first[1]), 0, testing::rounding * 4);
  }
}

TEST(Rotation, KeepsLengthsAndComesBack) {
  for (const std::size_t d : {1U, 2U, 3U, 5U, 8U, 100U, 7850U}) {
    const Rotation rotation(7, d);
    const Vector v = testing::random_vector(d, 3);
    const Vector there = turned(rotation, v);
    EXPECT_NEAR(norm_squared(ConstView(there)) / norm_squared(ConstView(v)), 1,
                100 * testing::rounding)
        << d;
    std::vector<double> back(there.begin(), there.end());
    rotation.undo(back);
    for (std::size_t j = 0; j < d; ++j)
      EXPECT_NEAR(back[j], static_cast<double>(v[j]), 100 * testing::rounding) << d << ' ' << j;
  }
}

// A vector in one coordinate, wherever it is, ends with no coordinate above sqrt(2 ln(2 d / 1e-6) /
// p) of its length, which signs exceed with probability 1e-6.
TEST(Rotation, SpreadsWhatIsInOnePlace) {
  constexpr std::size_t d = 3000;
  for (const std::size_t place : {0U, 1000U, 2047U, 2048U, 2999U}) {
    Vector v(d, real{0});
    v[place] = 1;
    const Vector there = turned(Rotation(11, d), v);
    double most = 0;
    for (const real value : there) most = std::max(most, std::abs(static_cast<double>(value)));
    EXPECT_LE(most, std::sqrt(2 * std::log(2 * d / 1e-6) / 2048)) << place;
  }
}

TEST(Rotation, IsTheSeedsAlone) {
  const Vector v = testing::random_vector(100, 3);
  EXPECT_EQ(turned(Rotation(5, 100), v), turned(Rotation(5, 100), v));
  EXPECT_NE(turned(Rotation(5, 100), v), turned(Rotation(6, 100), v));
}

}  // namespace trilemma::rotation_test
