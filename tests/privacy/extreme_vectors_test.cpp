// Bounds at the ends of the number range (src/privacy/bound.hpp, src/local/record_gradients.hpp):
// where squares overflow, factors fall below the normal numbers, and roundings are no longer small.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "local/record_gradients.hpp"
#include "numeric/lanes.hpp"
#include "privacy/bound.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::extreme_vectors_test {

// A quarter of the largest number: no norm of these vectors may overflow in double.
constexpr real largest = std::numeric_limits<real>::max() / 4;
constexpr real smallest = std::numeric_limits<real>::denorm_min();

double length(const Vector& z) { return euclidean_norm(ConstView(z)); }

TEST(ExtremeVectors, NormsWhoseSquaresOverflow) {
  const std::vector<double> far{3e200, 0, -4e200};
  EXPECT_DOUBLE_EQ(euclidean_norm<double>(far), 5e200);
  const std::vector<double> near{3e-200, 4e-200};
  EXPECT_DOUBLE_EQ(euclidean_norm<double>(near), 5e-200);
  const std::vector<double> zero{0, -0.0};
  EXPECT_EQ(euclidean_norm<double>(zero), 0);
  const std::vector<double> beyond{1.7e308, 1.7e308};
  EXPECT_EQ(euclidean_norm<double>(beyond), std::numeric_limits<double>::infinity());
  const std::vector<double> bad{1.7e308, std::nan(""), 1.7e308};
  EXPECT_TRUE(std::isnan(euclidean_norm<double>(bad)));
}

// As a float the factor 1e-5 / 3.4e38 = 2.9e-44 is off by up to 2 %.
TEST(ExtremeVectors, ClippedByATinyFactor) {
  for (const double threshold : {1e-20, 1e-7, 1.3e-5, 1.0, 1e20}) {
    Vector z{largest, 0, real{0.5} * largest};
    clip(z, threshold);
    EXPECT_NEAR(length(z), threshold, 4 * testing::rounding * threshold);
    EXPECT_NEAR(z[2], 0.5 * static_cast<double>(z[0]), 4 * testing::rounding * threshold);
    Vector y{largest, largest};
    smooth_normalise(y, threshold, 0);
    EXPECT_NEAR(length(y), threshold, 4 * testing::rounding * threshold);
  }
}

TEST(ExtremeVectors, TheSmallestVectors) {
  Vector z{smallest, smallest};
  EXPECT_NEAR(clip(z, 1.0), std::sqrt(2.0) * static_cast<double>(smallest), 1e-300);
  EXPECT_EQ(z, (Vector{smallest, smallest}));
  smooth_normalise(z, 1.0, 0);
  EXPECT_LE(length(z), 1 + 4 * testing::rounding);
}

TEST(ExtremeVectors, ThresholdsHaveLimits) {
  for (const auto& row : bounds()) {
    if (std::string(row.name) == "none") continue;
    for (const char* toml : {"threshold = 1e-21", "threshold = 1e21", "threshold = 0"}) {
      const auto make = [&] {
        Settings settings = Settings::from_text(toml, "bound.toml");
        row.make(settings);
      };
      EXPECT_TRUE(testing::refusal(make).find("threshold") != std::string::npos) << row.name;
    }
  }
}

// One record with one huge feature may move the average by G/b and by no more, whatever is rounded
// on the way. With b = 20, G = 4.7e-6 and the feature 3e38 the coefficient G / (3e38 b) = 7.8e-46
// would round to the smallest number, 1.4e-45: 1.8 times as much.
TEST(ExtremeVectors, ARecordMovesTheAverageNoFurtherThanItsShare) {
  for (const char* problem : {"logistic", "linear", "softmax", "network", "cnn", "layers", "mean"})
    for (const double feature : {1e15, 1e25, 1e30, 1e33, 1e36, 3e38})
      for (const double threshold : {4.5e-6, 4.7e-6, 1e-3, 1e-12, 1e-20})
        for (const double divisor : {1.0, 20.0, 1e4, 1e7}) {
          testing::Case on = testing::make_case(problem, 1, 4, 5, 8);
          Dataset& shard = on.shards[0];
          if (auto* sparse = std::get_if<SparseRows>(&shard.rows); sparse != nullptr)
            sparse->value[sparse->start[1]] = static_cast<real>(feature);
          else
            std::get<DenseRows>(shard.rows).value[shard.features()] = static_cast<real>(feature);
          shard.prepare();
          const Vector x(on.problem->dimension(), real{0});
          const std::uint32_t row = 1;
          for (const bool smooth : {false, true}) {
            RecordGradients gradients(*on.problem, {threshold, smooth});
            Vector sum(x.size(), real{0});
            gradients.add(shard, {&row, 1}, x, 1 / divisor, sum);
            EXPECT_LE(length(sum), threshold / divisor * (1 + 60 * testing::rounding))
                << problem << ' ' << feature << ' ' << threshold << ' ' << divisor << ' ' << smooth;
          }
        }
}

}  // namespace trilemma::extreme_vectors_test
