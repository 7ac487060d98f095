// Bounds (src/privacy/bound.hpp; spec algorithms.md 1.1): ||clip(z, C)|| = min(||z||, C),
// idempotent, 1-Lipschitz; only a Bound makes a Bounded.

#include "privacy/bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/lanes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::bound_test {

// Noise cannot follow compression by accident.
static_assert(!std::is_constructible_v<Bounded, View, Sensitivity>);

double norm(const Vector& z) { return std::sqrt(norm_squared(ConstView(z))); }
Vector clipped(Vector z, double threshold) {
  clip(z, threshold);
  return z;
}

std::unique_ptr<Bound> make(const std::string& name, const std::string& toml = "threshold = 0.5") {
  Settings settings = Settings::from_text(toml, "bound.toml");
  for (const auto& row : bounds())
    if (name == row.name) return row.make(settings);
  throw std::logic_error("no bound " + name);
}

TEST(Clip, ByHand) {
  EXPECT_EQ(clipped({3, 4}, 10), (Vector{3, 4}));
  EXPECT_EQ(clipped({3, 4}, 5), (Vector{3, 4}));
  EXPECT_EQ(clipped({3, 4}, 2.5), (Vector{1.5, 2}));
  EXPECT_EQ(clipped({0, 0}, 1), (Vector{0, 0}));
}

TEST(Clip, NormIsTheSmallerOfTheTwo) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Vector z = testing::random_vector(30, seed, 0.1 + 0.1 * static_cast<double>(seed % 10));
    for (const double threshold : {0.1, 1.0, 3.0, 100.0})
      EXPECT_NEAR(norm(clipped(z, threshold)), std::min(norm(z), threshold),
                  4 * testing::rounding * norm(z));
  }
}

TEST(Clip, IsAProjection) {
  const Vector z = testing::random_vector(30, 3);
  const Vector once = clipped(z, 1.0);
  const Vector twice = clipped(once, 1.0);
  for (std::size_t j = 0; j < z.size(); ++j)
    EXPECT_NEAR(once[j], twice[j], 2 * testing::rounding * std::abs(once[j]));
  // 1-Lipschitz.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Vector a = testing::random_vector(5, 2 * seed, 0.7);
    const Vector b = testing::random_vector(5, 2 * seed + 1, 0.7);
    const Vector ca = clipped(a, 1.0);
    const Vector cb = clipped(b, 1.0);
    double before = 0;
    double after = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      before += std::pow(a[j] - b[j], 2);
      after += std::pow(ca[j] - cb[j], 2);
    }
    EXPECT_LE(after, before * (1 + 1e-5));
  }
}

TEST(Bound, ClipRecordLeavesTheFinishedVectorAlone) {
  const auto bound = make("clip-record");
  EXPECT_EQ(bound->record_threshold(), 0.5);
  EXPECT_EQ(bound->threshold(), 0.5);
  EXPECT_EQ(bound->objection(), "");
  Vector u{3, 4};
  const Bounded bounded = bound->apply(u);
  EXPECT_EQ(Vector(bounded.values().begin(), bounded.values().end()), (Vector{3, 4}));
}

TEST(Bound, SmoothClipRecordHasTheSensitivityOfClipRecord) {
  const auto bound = make("smooth-clip-record");
  EXPECT_TRUE(bound->smooths_records());
  EXPECT_FALSE(make("clip-record")->smooths_records());
  EXPECT_EQ(bound->what(), Bounds::record);
  EXPECT_EQ(bound->record_threshold(), 0.5);
  EXPECT_EQ(bound->objection(), "");
  EXPECT_EQ(bound->sensitivity({.sampled = 0.1}, 2),
            make("clip-record")->sensitivity({.sampled = 0.1}, 2));
}

TEST(Bound, ClipEstimatorClipsTheFinishedVectorAndObjects) {
  const auto bound = make("clip-estimator");
  EXPECT_TRUE(std::isinf(bound->record_threshold()));
  EXPECT_EQ(bound->threshold(), 0.5);
  EXPECT_NE(bound->objection(), "");
  Vector u{3, 4};
  bound->apply(u);
  EXPECT_NEAR(u[0], 0.3, 1e-6);
  EXPECT_NEAR(u[1], 0.4, 1e-6);
}

TEST(Bound, NoneDoesNothingAndObjects) {
  const auto bound = make("none", "");
  EXPECT_TRUE(std::isinf(bound->record_threshold()));
  EXPECT_TRUE(std::isinf(bound->threshold()));
  EXPECT_NE(bound->objection(), "");
  Vector u{3e10F, 4};
  bound->apply(u);
  EXPECT_EQ(u, (Vector{3e10F, 4}));
}

TEST(Bound, RefusesThresholdsThatAreNotPositive) {
  for (const char* toml : {"threshold = 0", "threshold = -1.0", "threshold = nan"})
    testing::expect_parts(testing::refusal([&] { make("clip-record", toml); }),
                          {"bound.toml:1", "threshold"});
}

}  // namespace trilemma::bound_test
