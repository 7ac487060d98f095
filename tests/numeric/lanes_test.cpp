// Squared norms in fixed lanes (src/numeric/lanes.hpp): accumulated in double, the same bits
// wherever the data lie.

#include "numeric/lanes.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace trilemma::lanes_test {

TEST(Lanes, NormSquaredOfSmallVectorsByHand) {
  EXPECT_EQ(norm_squared<real>({}), 0.0);
  const Vector v{3, -4};
  EXPECT_EQ(norm_squared(ConstView(v)), 25.0);
}

TEST(Lanes, EveryLengthIsSummedWhole) {
  // Sum of i^2 for i = 1..n is n(n+1)(2n+1)/6, exact in double.
  for (std::size_t n = 1; n <= 70; ++n) {
    Vector v(n);
    std::iota(v.begin(), v.end(), real{1});
    const auto m = static_cast<double>(n);
    EXPECT_EQ(norm_squared(ConstView(v)), m * (m + 1) * (2 * m + 1) / 6) << n;
  }
}

TEST(Lanes, AccumulatesInDouble) {
  // In float 1e4^2 would swallow the ones.
  Vector v(1001, real{1});
  v[0] = real{10000};
  EXPECT_EQ(norm_squared(ConstView(v)), 1e8 + 1000.0);
}

TEST(Lanes, SameBitsAtEveryAlignment) {
  std::vector<double> values(300);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / (1.0 + static_cast<double>(i));
  const double expected = norm_squared<double>(values);
  for (std::size_t offset = 1; offset < 20; ++offset) {
    std::vector<double> moved(offset, 7.0);
    moved.insert(moved.end(), values.begin(), values.end());
    EXPECT_EQ(norm_squared<double>(std::span(moved).subspan(offset)), expected) << offset;
  }
}

TEST(Lanes, RowsHaveTheBitsOfSingleNorms) {
  constexpr std::size_t rows = 5;
  constexpr std::size_t stride = 80;
  Vector values(rows * stride);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = real{1} / (real{1} + static_cast<real>(i));
  for (const std::size_t width : {0U, 1U, 10U, 16U, 64U, 80U}) {
    std::vector<double> found(rows);
    squares_of_rows(values.data(), stride, width, found);
    for (std::size_t r = 0; r < rows; ++r)
      EXPECT_EQ(found[r], norm_squared(ConstView(values).subspan(r * stride, width))) << width;
  }
}

}  // namespace trilemma::lanes_test
