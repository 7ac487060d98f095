// The gaussian mechanism (src/privacy/mechanism.hpp) and the closed form of sigma (spec
// algorithms.md 6.3, experiments.md 2.1 and 2.2).

#include "privacy/mechanism.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::mechanism_test {

static_assert(!std::is_constructible_v<Released, Support, View>);

Key key(std::uint32_t round) { return {9, Purpose::noise, 4, round}; }

// Any vector as a Bounded one.
class Through final : public Bound {
 public:
  Bounds what() const override { return Bounds::nothing; }
  std::string description() const override { return "test"; }
  double threshold() const override { return 1; }
};
Bounded bounded(Vector& u) { return Through().apply(u); }

TEST(Gaussian, SigmaZeroReleasesTheVectorAsItIs) {
  const auto mechanism = make_gaussian(0);
  EXPECT_EQ(mechanism->sigma(), 0);
  Vector u = testing::random_vector(50, 1);
  Vector out;
  EXPECT_TRUE(mechanism->release(bounded(u), Support::all(), key(0), out).at().is_all());
  EXPECT_EQ(out, u);
  const std::vector<std::uint32_t> at{3, 7, 49};
  const Released some = mechanism->release(bounded(u), Support::of(at), key(0), out);
  EXPECT_EQ(out, (Vector{u[3], u[7], u[49]}));
  EXPECT_EQ(some.at().size(u.size()), 3U);
}

// A mask that has drawn nothing must not release everything.
TEST(Mechanism, NoCoordinatesAreNotAllOfThem) {
  for (const double sigma : {0.0, 0.5}) {
    Vector u{1, 2, 3};
    Vector out{7, 7, 7};
    const Released none = make_gaussian(sigma)->release(bounded(u), Support::of({}), key(0), out);
    EXPECT_FALSE(none.at().is_all());
    EXPECT_EQ(none.values().size(), 0U);
    EXPECT_TRUE(out.empty());
  }
}

TEST(Gaussian, ACoordinateDoesNotDependOnWhatElseIsAsked) {
  const auto mechanism = make_gaussian(0.3);
  Vector u = testing::random_vector(300, 2);
  Vector all;
  mechanism->release(bounded(u), Support::all(), key(1), all);
  Stream stream({1, Purpose::mask, 0, 0});
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<std::uint32_t> at;
    for (std::uint32_t j = 0; j < 300; ++j)
      if (stream.below(4) == 0) at.push_back(j);
    Vector out;
    mechanism->release(bounded(u), Support::of(at), key(1), out);
    for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(out[i], all[at[i]]);
  }
}

// Noise and vector are added in double and rounded once: where they cancel, what is left is what
// the first rounding would have lost.
TEST(Gaussian, NoiseIsAddedInDoubleAndRoundedOnce) {
  const double sigma = 0.7;
  const auto mechanism = make_gaussian(sigma);
  std::vector<double> noise(2000);
  normals(key(2), 0, noise);
  for (const bool cancel : {false, true}) {
    Vector u = testing::random_vector(noise.size(), 3);
    for (std::size_t j = 0; cancel && j < u.size(); ++j)
      u[j] = static_cast<real>(-sigma * noise[j]);
    const Vector before = u;
    Vector out;
    mechanism->release(bounded(u), Support::all(), key(2), out);
    for (std::size_t j = 0; j < u.size(); ++j) {
      const double exact = static_cast<double>(before[j]) + sigma * noise[j];
      const double half_ulp = 0.5 * testing::rounding * std::abs(exact);
      ASSERT_LE(std::abs(static_cast<double>(out[j]) - exact), half_ulp + 1e-15) << j;
    }
  }
}

// Mean 0 within five standard errors; variance within five of its own, sigma^2 sqrt(2/N).
TEST(Gaussian, MeanAndVariance) {
  for (const double sigma : {0.002283, 1.0, 40.0}) {
    const auto mechanism = make_gaussian(sigma);
    EXPECT_EQ(mechanism->sigma(), sigma);
    Vector u(400'000, real{0});
    Vector out;
    mechanism->release(bounded(u), Support::all(), key(3), out);
    testing::Sample sample;
    for (const double v : out) sample.add(v);
    testing::expect_mean(sample, 0.0);
    EXPECT_NEAR(sample.variance() / (sigma * sigma), 1.0, 5.0 * std::sqrt(2.0 / 400'000.0));
  }
}

TEST(Gaussian, NoiseDiffersByClientRoundAndSeed) {
  const auto mechanism = make_gaussian(1.0);
  Vector u(4, real{0});
  Vector base;
  mechanism->release(bounded(u), Support::all(), {1, Purpose::noise, 1, 1}, base);
  for (const Key other :
       {Key{2, Purpose::noise, 1, 1}, Key{1, Purpose::noise, 2, 1}, Key{1, Purpose::noise, 1, 2}}) {
    Vector out;
    mechanism->release(bounded(u), Support::all(), other, out);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NE(out[j], base[j]);
  }
}

struct Setting {
  double rounds, epsilon, c8, c12, c96;
};

// experiments.md 2.1: m = 3256, G = 0.5, delta = 1e-3.
TEST(PaperSigma, A9aTable) {
  const Setting table[] = {{25, 1, 0.005708, 0.006991, 0.019772},
                           {100, 5, 0.002283, 0.002796, 0.007909},
                           {150, 10, 0.001398, 0.001712, 0.004843}};
  for (const auto& s : table) {
    EXPECT_NEAR(paper_sigma(8, 0.5, s.rounds, 1e-3, 3256, s.epsilon), s.c8, 6e-7);
    EXPECT_NEAR(paper_sigma(12, 0.5, s.rounds, 1e-3, 3256, s.epsilon), s.c12, 6e-7);
    EXPECT_NEAR(paper_sigma(96, 0.5, s.rounds, 1e-3, 3256, s.epsilon), s.c96, 6e-7);
  }
}

// experiments.md 2.2: m = 6000, G = 1, delta = 1e-3.
TEST(PaperSigma, MnistTable) {
  const Setting table[] = {{150, 1, 0.015174, 0.018585, 0.052565},
                           {200, 2, 0.008761, 0.010730, 0.030349},
                           {300, 4, 0.005365, 0.006571, 0.018585},
                           {500, 8, 0.003463, 0.004241, 0.011996},
                           {1000, 16, 0.002449, 0.002999, 0.008483}};
  for (const auto& s : table) {
    EXPECT_NEAR(paper_sigma(8, 1, s.rounds, 1e-3, 6000, s.epsilon), s.c8, 6e-7);
    EXPECT_NEAR(paper_sigma(12, 1, s.rounds, 1e-3, 6000, s.epsilon), s.c12, 6e-7);
    EXPECT_NEAR(paper_sigma(96, 1, s.rounds, 1e-3, 6000, s.epsilon), s.c96, 6e-7);
  }
}

// spec 6.6: ratios of the variances, SVRG/SGD = 8 and CDP/SoteriaFL-SGD = 2/3.
TEST(PaperSigma, Ratios) {
  auto variance = [](double c) { return std::pow(paper_sigma(c, 0.5, 100, 1e-3, 3256, 5), 2); };
  EXPECT_NEAR(variance(96) / variance(12), 8.0, 1e-12);
  EXPECT_NEAR(variance(8) / variance(12), 2.0 / 3.0, 1e-12);
}

}  // namespace trilemma::mechanism_test
