// Elementary functions (src/numeric/vmath.hpp) against the standard library in long double: a few
// units in the last place, at the edges too; NaN passes through, so that a diverged model is
// noticed.

#include "numeric/vmath.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/random.hpp"

namespace trilemma::vmath_test {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t draws = 200'000;

// Distance in units of the last place of the reference.
double ulps(double value, long double reference) {
  const double near = std::abs(static_cast<double>(reference));
  const double unit = std::nextafter(near, std::numeric_limits<double>::infinity()) - near;
  return static_cast<double>(std::abs(static_cast<long double>(value) - reference)) / unit;
}

TEST(Vmath, ExpWithinTwoUlps) {
  Stream stream({1, Purpose::data, 0, 0});
  double worst = 0;
  for (const double reach : {1e-3, 1.0, 30.0, 708.0}) {
    for (std::size_t i = 0; i < draws; ++i) {
      const double x = reach * (2.0 * stream.uniform() - 1.0);
      worst = std::max(worst, ulps(vmath::exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LE(worst, 2.0);
}

TEST(Vmath, ExpAtItsEdges) {
  EXPECT_EQ(vmath::exp(0.0), 1.0);
  EXPECT_EQ(vmath::exp(-0.0), 1.0);
  for (const double x : {708.0, -708.0, 0.34657359027997264, -0.34657359027997264, 1e-300})
    EXPECT_LE(ulps(vmath::exp(x), std::exp(static_cast<long double>(x))), 2.0) << x;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {708.5, 1e6, infinity}) {
    EXPECT_EQ(vmath::exp(x), vmath::exp(708.0)) << x;
    EXPECT_EQ(vmath::exp(-x), vmath::exp(-708.0)) << x;
  }
  EXPECT_TRUE(std::isnan(vmath::exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Vmath, SingleExpWithinTwoParts) {
  Stream stream({2, Purpose::data, 0, 0});
  double worst = 0;
  for (const double reach : {1e-3, 1.0, 87.0}) {
    for (std::size_t i = 0; i < draws; ++i) {
      const auto x = static_cast<float>(reach * (2.0 * stream.uniform() - 1.0));
      const double reference = std::exp(static_cast<double>(x));
      worst = std::max(worst, std::abs(static_cast<double>(vmath::exp(x)) / reference - 1.0));
    }
  }
  EXPECT_LE(worst, 2e-7);
}

TEST(Vmath, SingleExpAtItsEdges) {
  EXPECT_EQ(vmath::exp(0.0F), 1.0F);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float x : {87.5F, 1e6F, infinity}) {
    EXPECT_EQ(vmath::exp(x), vmath::exp(87.0F)) << x;
    EXPECT_EQ(vmath::exp(-x), vmath::exp(-87.0F)) << x;
  }
  EXPECT_TRUE(std::isnan(vmath::exp(std::numeric_limits<float>::quiet_NaN())));
}

TEST(Vmath, LogWithinThreeUlps) {
  Stream stream({3, Purpose::data, 0, 0});
  double worst = 0;
  // Over all magnitudes, then around 1 where the result is small.
  for (std::size_t i = 0; i < draws; ++i) {
    const double x =
        std::ldexp(1.0 + stream.uniform(), static_cast<int>(stream.below(2044)) - 1022);
    worst = std::max(worst, ulps(vmath::log(x), std::log(static_cast<long double>(x))));
    const double y = 0.5 + stream.uniform();
    worst = std::max(worst, ulps(vmath::log(y), std::log(static_cast<long double>(y))));
  }
  EXPECT_LE(worst, 3.0);
}

TEST(Vmath, LogAtItsEdges) {
  EXPECT_EQ(vmath::log(1.0), 0.0);
  for (const double x :
       {std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), 1.0 - epsilon / 2,
        1.0 + epsilon, 1.4142135623730949, 1.4142135623730951, 0x1p-33, 0.5 * 0x1p-32, 0.5, 2.0})
    EXPECT_LE(ulps(vmath::log(x), std::log(static_cast<long double>(x))), 3.0) << x;
}

TEST(Vmath, Log1pWithinFourUlps) {
  Stream stream({4, Purpose::data, 0, 0});
  double worst = 0;
  for (const double most : {1.0, 1e-3, 1e-12, 1e-300})
    for (std::size_t i = 0; i < draws; ++i) {
      const double x = most * stream.uniform();
      worst = std::max(worst, ulps(vmath::log1p(x), std::log1p(static_cast<long double>(x))));
    }
  EXPECT_LE(worst, 4.0);
  EXPECT_EQ(vmath::log1p(0.0), 0.0);
  EXPECT_LE(ulps(vmath::log1p(1.0), std::log(2.0L)), 4.0);
  EXPECT_TRUE(std::isnan(vmath::log1p(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Vmath, SinCosOfATurn) {
  Stream stream({4, Purpose::data, 0, 0});
  double worst = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const std::uint32_t w = stream.word();
    const long double angle =
        6.283185307179586476925286766559005768L * (static_cast<long double>(w) * 0x1p-32L);
    const auto turn = vmath::sincos_turn(w);
    worst = std::max(worst, std::abs(static_cast<double>(turn.sin - std::sin(angle))));
    worst = std::max(worst, std::abs(static_cast<double>(turn.cos - std::cos(angle))));
  }
  EXPECT_LE(worst, 2.0 * epsilon);
}

TEST(Vmath, SinCosOfQuarterTurnsIsExact) {
  const double sine[] = {0, 1, 0, -1};
  const double cosine[] = {1, 0, -1, 0};
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
    const auto turn = vmath::sincos_turn(quarter << 30);
    EXPECT_EQ(turn.sin, sine[quarter]) << quarter;
    EXPECT_EQ(turn.cos, cosine[quarter]) << quarter;
  }
  // Neighbours of the borders between the octants, and of the whole turn.
  for (const std::uint64_t w : {0x1FFFFFFFULL, 0x20000000ULL, 0x20000001ULL, 0x5FFFFFFFULL,
                                0x60000000ULL, 0xDFFFFFFFULL, 0xE0000000ULL, 0xFFFFFFFFULL}) {
    const auto turn = vmath::sincos_turn(w);
    const double angle = 6.283185307179586 * (static_cast<double>(w) * 0x1p-32);
    EXPECT_NEAR(turn.sin, std::sin(angle), 1e-15) << w;
    EXPECT_NEAR(turn.cos, std::cos(angle), 1e-15) << w;
    EXPECT_NEAR(turn.sin * turn.sin + turn.cos * turn.cos, 1.0, 4 * epsilon) << w;
  }
}

TEST(Vmath, FromIntegerIsExact) {
  for (const std::uint64_t w : {0ULL, 1ULL, 0xFFFFFFFFULL, (1ULL << 52) - 1})
    EXPECT_EQ(vmath::from_integer(w), static_cast<double>(w));
}

}  // namespace trilemma::vmath_test
