// SGD and GD (src/local/sgd.cpp; spec algorithms.md 1.2 and 6.3, option I).

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::sgd_test {

constexpr double threshold = 0.4;

class SgdOn : public ::testing::TestWithParam<const char*> {
 protected:
  testing::Case on_ = testing::make_case(GetParam(), 1, 14, 8, 3);
  Vector x_ = testing::random_vector(on_.problem->dimension(), 4, 0.5);
};

// (1/b) * sum of what was drawn, b the public constant and not the number drawn; the regulariser is
// outside of the clip and of the division.
TEST_P(SgdOn, DividesByTheConstantAndCountsRepeats) {
  testing::ScriptedSampler sampler;
  const auto sgd =
      testing::make_estimator("sgd", on_, sampler, {.batch = 4, .threshold = threshold});
  sgd->start(x_);
  for (const std::vector<std::uint32_t>& rows :
       std::vector<std::vector<std::uint32_t>>{{}, {3}, {0, 13, 5}, {2, 2, 2, 7, 7, 1}}) {
    sampler.next = rows;
    const Vector out = testing::estimate(*sgd, x_, 0);
    auto expected = testing::regulariser_gradient(*on_.problem, x_);
    for (const auto row : rows) {
      const auto one = testing::record_gradient(*on_.problem, on_.shards[0], row, x_, threshold);
      for (std::size_t j = 0; j < one.size(); ++j) expected[j] += one[j] / 4.0;
    }
    for (std::size_t j = 0; j < out.size(); ++j)
      EXPECT_NEAR(out[j], expected[j], 20 * testing::rounding);
  }
}

TEST_P(SgdOn, GdIsTheMeanOfAllClippedGradients) {
  testing::ScriptedSampler unused;
  const auto gd = testing::make_estimator("gd", on_, unused, {.threshold = threshold});
  gd->start(x_);
  const Vector out = testing::estimate(*gd, x_, 0);
  const auto mean = testing::mean_gradient(*on_.problem, on_.shards[0], x_, threshold);
  const auto slope = testing::regulariser_gradient(*on_.problem, x_);
  for (std::size_t j = 0; j < out.size(); ++j)
    EXPECT_NEAR(out[j], mean[j] + slope[j], 20 * testing::rounding);
}

// spec 6.6: b = m (poisson or without replacement) is GD, to the bit.
TEST_P(SgdOn, WholeBatchIsGdToTheBit) {
  for (const char* name : {"poisson", "without-replacement"}) {
    const auto sampler = testing::make_sampler(name);
    const auto sgd =
        testing::make_estimator("sgd", on_, *sampler, {.batch = 14, .threshold = threshold});
    const auto gd =
        testing::make_estimator("gd", on_, *sampler, {.batch = 14, .threshold = threshold});
    sgd->start(x_);
    gd->start(x_);
    for (std::uint32_t round = 0; round < 20; ++round)
      ASSERT_EQ(testing::estimate(*sgd, x_, round), testing::estimate(*gd, x_, round)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, SgdOn,
                         ::testing::Values("logistic", "network", "images", "softmax"));

}  // namespace trilemma::sgd_test
