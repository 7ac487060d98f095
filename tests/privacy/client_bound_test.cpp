// Bounds of a client's whole update (src/privacy/bound.hpp; spec algorithms.md 1.1): equalities,
// not only inequalities.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/lanes.hpp"
#include "privacy/bound.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::client_bound_test {

using testing::rounding;

double norm(const Vector& z) { return std::sqrt(norm_squared(ConstView(z))); }

std::unique_ptr<Bound> make(const std::string& name, const std::string& toml) {
  Settings settings = Settings::from_text(toml, "bound.toml");
  return row(bounds(), name).make(settings);
}

Vector bounded(const Bound& bound, Vector z) {
  bound.apply(z);
  return z;
}
Vector bounded(const std::string& name, const std::string& toml, const Vector& z) {
  return bounded(*make(name, toml), z);
}

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance) << j;
}

// Norms from far below to far above the thresholds of these tests.
std::vector<Vector> samples() {
  std::vector<Vector> all;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    all.push_back(
        testing::random_vector(1 + seed % 37, seed, std::pow(10.0, -3.0 + 0.1 * double(seed))));
  return all;
}

const char* const every[] = {"clip-client", "normalise-client", "smooth-normalise-client"};

TEST(ClientBound, ByHand) {
  const char* two = "threshold = 2.5";
  EXPECT_EQ(bounded("clip-client", two, {3, 4}), (Vector{1.5, 2}));
  EXPECT_EQ(bounded("clip-client", two, {0.75, 1}), (Vector{0.75, 1}));
  EXPECT_EQ(bounded("normalise-client", two, {3, 4}), (Vector{1.5, 2}));
  EXPECT_EQ(bounded("normalise-client", two, {0.75, 1}), (Vector{1.5, 2}));
  // 2.5 z / (5 + |z|)
  EXPECT_EQ(bounded("smooth-normalise-client", "threshold = 2.5\nalpha = 5.0", {3, 4}),
            (Vector{0.75, 1}));
}

TEST(ClientBound, ZeroStaysZero) {
  for (const char* name : every) EXPECT_EQ(bounded(name, "", {0, 0, 0}), (Vector{0, 0, 0})) << name;
  EXPECT_EQ(bounded("smooth-normalise-client", "alpha = 0.0", {0, 0}), (Vector{0, 0}));
}

TEST(ClientBound, ClippedNormIsTheSmallerOfTheTwo) {
  const auto clip = make("clip-client", "threshold = 0.7");
  for (const auto& z : samples())
    EXPECT_NEAR(norm(bounded(*clip, z)), std::min(norm(z), 0.7), 4 * rounding * 0.7);
}

TEST(ClientBound, NormalisedNormIsTheThreshold) {
  const auto normalise = make("normalise-client", "threshold = 0.7");
  for (const auto& z : samples())
    EXPECT_NEAR(norm(bounded(*normalise, z)), 0.7, 4 * rounding * 0.7);
}

TEST(ClientBound, SmoothNormIsBelowTheThreshold) {
  const auto smooth = make("smooth-normalise-client", "threshold = 0.7\nalpha = 0.3");
  for (const auto& z : samples()) {
    const double after = norm(bounded(*smooth, z));
    EXPECT_NEAR(after, 0.7 * norm(z) / (0.3 + norm(z)), 4 * rounding);
    EXPECT_LT(after, 0.7 * (1 + rounding));
  }
}

TEST(ClientBound, ClippingTwiceIsClippingOnce) {
  const auto clip = make("clip-client", "threshold = 0.7");
  for (const auto& z : samples()) {
    const Vector once = bounded(*clip, z);
    expect_near(bounded(*clip, once), once, 2 * rounding);
  }
}

TEST(ClientBound, ClippingBringsVectorsNoFurtherApart) {
  const auto clip = make("clip-client", "threshold = 0.7");
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Vector a = testing::random_vector(6, 2 * seed, 0.4);
    Vector b = testing::random_vector(6, 2 * seed + 1, 0.4);
    auto distance = [&a, &b] {
      Vector difference(a);
      for (std::size_t j = 0; j < a.size(); ++j) difference[j] -= b[j];
      return norm(difference);
    };
    const double before = distance();
    a = bounded(*clip, a);
    b = bounded(*clip, b);
    EXPECT_LE(distance(), before + 8 * rounding);
  }
}

// The published comparison of both ([NORM] figure 1) rests on it: with C below all norms the runs
// are the same.
TEST(ClientBound, NormalisingIsClippingAboveTheThresholdToTheBit) {
  const auto clip = make("clip-client", "threshold = 0.7");
  const auto normalise = make("normalise-client", "threshold = 0.7");
  int above = 0;
  for (const auto& z : samples()) {
    const Vector normalised = bounded(*normalise, z);
    EXPECT_GE(norm(normalised), norm(bounded(*clip, z)) * (1 - 4 * rounding));
    if (norm(z) < 0.7) continue;
    ++above;
    EXPECT_EQ(normalised, bounded(*clip, z));
  }
  EXPECT_GT(above, 20);
  EXPECT_EQ(bounded("normalise-client", "threshold = 5.0", {3, 4}), (Vector{3, 4}));
}

TEST(ClientBound, AlphaZeroIsNormalisationToOne) {
  for (const auto& z : samples())
    EXPECT_EQ(bounded("smooth-normalise-client", "alpha = 0.0", z),
              bounded("normalise-client", "threshold = 1.0", z));
}

// ||z - beta Norm_alpha(z)|| = |1 - beta/(alpha+||z||)| ||z||: what error feedback contracts by.
TEST(ClientBound, WhatErrorFeedbackLeaves) {
  for (const double alpha : {0.01, 0.3, 2.0})
    for (const double beta : {0.001, 0.1, 1.0}) {
      const auto smooth = make("smooth-normalise-client", fmt::format("alpha = {}", alpha));
      for (const auto& z : samples()) {
        const Vector moved = bounded(*smooth, z);
        Vector rest(z);
        for (std::size_t j = 0; j < z.size(); ++j) rest[j] -= static_cast<real>(beta) * moved[j];
        const double r = norm(z);
        EXPECT_NEAR(norm(rest), std::abs(1 - beta / (alpha + r)) * r, 8 * rounding * (r + beta));
      }
    }
}

// The factor C / |z| of a tiny vector can be beyond the range of float; its square, of double.
TEST(ClientBound, TinyVectorsStayBounded) {
  const auto normalise = make("normalise-client", "threshold = 0.7");
  for (real tiny = 1; tiny > 0; tiny /= 2) {
    const double after = norm(bounded(*normalise, {tiny, 0, -tiny}));
    EXPECT_LE(after, 0.7 * (1 + 4 * rounding)) << tiny;
    EXPECT_GE(after, testing::wide ? 0 : 0.7 * (1 - 1e-6)) << tiny;
  }
}

TEST(ClientBound, SaysWhatItIs) {
  for (const char* name : every) {
    const auto bound = make(name, "threshold = 0.25");
    EXPECT_EQ(bound->what(), Bounds::client) << name;
    EXPECT_EQ(bound->threshold(), 0.25) << name;
    EXPECT_TRUE(std::isinf(bound->record_threshold())) << name;
    EXPECT_EQ(bound->objection(), "") << name;
    EXPECT_NE(bound->description().find("0.25"), std::string::npos) << bound->description();
  }
  EXPECT_NE(make("smooth-normalise-client", "")->description().find("0.01"), std::string::npos);
}

// A client moves the sum by C whatever its records' gradients are (privacy.md 1, 2.1: normalising
// does not make it less); replaced units are the accountant's to double.
TEST(ClientBound, SensitivityIsTheThreshold) {
  for (const char* name : every)
    for (const double distance : {1.0, 2.0}) {
      const auto s =
          make(name, "threshold = 0.25")->sensitivity({.sampled = 9, .full = 9}, distance);
      EXPECT_EQ(s.sampled, 0) << name;
      EXPECT_EQ(s.full, 0.25) << name;
    }
}

TEST(ClientBound, WrongSettingsAreRefused) {
  for (const char* name : every)
    for (const char* toml : {"threshold = 0", "threshold = -1.0", "threshold = nan"})
      testing::expect_parts(testing::refusal([&] { make(name, toml); }),
                            {"bound.toml:1", "threshold"});
  testing::expect_parts(testing::refusal([] { make("smooth-normalise-client", "alpha = -0.1"); }),
                        {"bound.toml:1", "alpha"});
}

}  // namespace trilemma::client_bound_test
