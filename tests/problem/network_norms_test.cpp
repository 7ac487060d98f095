// Norms of a network's record gradients (src/problem/network.cpp) where squares leave the range of
// numbers, and where something is not finite.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::network_norms_test {

// A record of 4 inputs, 3 hidden units and 2 classes: factors e1 (3), h1 (3), e2 (2).
class NetworkNorms : public ::testing::Test {
 protected:
  NetworkNorms() {
    data_ = testing::dense_records(1, 4, 2, 3);
    data_.prepare();
    problem_ = testing::make_problem("network", {4, 2}, "hidden = [3]\n");
    problem_->load(data_, rows_, batch_);
  }
  double norm(const Vector& factors) {
    std::vector<double> found(1);
    problem_->norms(batch_, factors, found);
    return found[0];
  }
  // sqrt((|a|^2 + 1) |e1|^2 + (|h1|^2 + 1) |e2|^2) for e1 = (3, 0, 4) s, h1 = 0, e2 = (0, 12) s.
  double expected(double s) const {
    const double a = data_.row_norm[0];
    return s * std::sqrt((a * a + 1) * 25 + 144);
  }
  static Vector factors(double s) {
    const auto r = static_cast<real>(s);
    return {3 * r, 0, 4 * r, 0, 0, 0, 0, 12 * r};
  }

  Dataset data_;
  std::vector<std::uint32_t> rows_{0};
  std::unique_ptr<Problem> problem_;
  Batch batch_;
};

TEST_F(NetworkNorms, ByHand) {
  for (const double s : {1.0, 1e-3, 1e6})
    EXPECT_NEAR(norm(factors(s)) / expected(s), 1, 10 * testing::rounding) << s;
  EXPECT_EQ(norm(Vector(8, real{0})), 0);
}

TEST_F(NetworkNorms, OfAnySize) {
  const std::vector<double> sizes =
      testing::wide ? std::vector{1e200, 1e-200, 1e150, 1e-140} : std::vector{1e30, 1e-30};
  for (const double s : sizes)
    EXPECT_NEAR(norm(factors(s)) / expected(s), 1, 10 * testing::rounding) << s;
}

TEST_F(NetworkNorms, WhatIsNotFiniteIsNotHidden) {
  Vector bad = factors(1);
  bad[1] = std::numeric_limits<real>::quiet_NaN();
  EXPECT_TRUE(std::isnan(norm(bad)));
  bad[1] = std::numeric_limits<real>::infinity();
  EXPECT_FALSE(std::isfinite(norm(bad)));
  bad = factors(1);
  bad[7] = std::numeric_limits<real>::quiet_NaN();
  EXPECT_TRUE(std::isnan(norm(bad)));
}

}  // namespace trilemma::network_norms_test
