// Training with few bits (src/problem/low_precision.cpp).

#include "problem/low_precision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::low_precision_test {

constexpr Key coins{3, Purpose::training, 1, 2};

MatrixView row_of(Vector& x) { return matrix(x.data(), 1, x.size(), x.size()); }
double clip_of(const Vector& x, int bits) {
  return sawb_clip(matrix(x.data(), 1, x.size(), x.size()), bits);
}

Vector levels(Vector x, int bits, bool is_non_negative) {
  quantise_levels(row_of(x), bits, is_non_negative);
  return x;
}

Vector rounded(Vector g, std::uint32_t round) {
  std::vector<std::uint32_t> words;
  Key key = coins;
  key.round = round;
  quantise_derivatives(row_of(g), key, 0, words);
  return g;
}

// Root mean square 2 and mean size 1.5: 7.40 * 2 - 6.66 * 1.5 = 4.81, 11.86 * 2 - 11.68 * 1.5
// = 6.2.
TEST(SawbClip, ByHand) {
  const Vector x{1, -1, 1, 3};
  EXPECT_NEAR(clip_of(x, 3), 2.827176, 1e-5);  // 12.817176 - 9.99
  EXPECT_NEAR(clip_of(x, 4), 3.022123, 1e-5);  // 20.542123 - 17.52
  Vector equal{2, -2, 2, 2};
  EXPECT_NEAR(clip_of(equal, 3), 0.74 * 2, 1e-5);
}

// All sizes 3.5/0.74: clip = 3.5, so the scale is 1 but for rounding, and the levels are -4..3.
TEST(Levels, AreWholeMultiplesWithinTheClip) {
  const auto unit = static_cast<real>(3.5 / 0.74);
  const Vector both = levels({unit, -unit, -unit, unit}, 3, false);
  const double expected[] = {3, -4, -4, 3};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(static_cast<double>(both[j]), expected[j], 1e-5);
  for (const real value : levels({unit, unit, unit, unit}, 3, true))  // of 0..7
    EXPECT_NEAR(static_cast<double>(value), 5, 1e-5);
  EXPECT_EQ(levels({0, 0, 0}, 3, false), (Vector{0, 0, 0}));
}

TEST(Levels, AreAtMostEightAndNearest) {
  for (const bool is_non_negative : {false, true}) {
    Vector x(1000);
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = static_cast<real>(std::sin(1.0 * static_cast<double>(j)) + (is_non_negative ? 1 : 0));
    const double scale = 2 * clip_of(x, 3) / 7;
    const Vector q = levels(x, 3, is_non_negative);
    EXPECT_LE(std::set<real>(q.begin(), q.end()).size(), 8U);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double low = is_non_negative ? 0 : -4 * scale;
      const double inside = std::clamp<double>(x[j], low, low + 7 * scale);
      EXPECT_LE(std::abs(static_cast<double>(q[j]) - inside), scale / 2 * (1 + 1e-5));
    }
  }
}

TEST(Derivatives, OnLevelsAreExact) {
  const Vector g{64, -32, 16, 8, -4, 2, 1, 0, -1};
  for (std::uint32_t round = 0; round < 50; ++round) EXPECT_EQ(rounded(g, round), g);
  EXPECT_EQ(rounded({0, 0, 0}, 1), (Vector{0, 0, 0}));
}

TEST(Derivatives, AreUnbiasedAndOfFifteenValues) {
  const Vector g{10, -7, 5.5, 3, -0.2F, 0.1F, 0.01F, -9.99F};
  constexpr std::uint32_t rounds = 40'000;
  std::vector<double> sum(g.size()), square(g.size());
  std::set<real> values;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Vector q = rounded(g, round);
    for (std::size_t j = 0; j < g.size(); ++j) {
      sum[j] += q[j];
      square[j] += std::pow(static_cast<double>(q[j]), 2);
      values.insert(q[j]);
    }
  }
  EXPECT_LE(values.size(), 15U);
  for (std::size_t j = 0; j < g.size(); ++j) {
    const double mean = sum[j] / rounds;
    const double error = std::sqrt(std::max(0.0, square[j] / rounds - mean * mean) / rounds);
    EXPECT_NEAR(mean, static_cast<double>(g[j]), 4.5 * error + 1e-6) << j;
  }
}

TEST(Derivatives, GoToTheTwoLevelsAround) {
  std::map<real, int> seen;
  for (std::uint32_t round = 0; round < 1000; ++round) ++seen[rounded({64, 3}, round)[1]];
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_NEAR(seen[2], 500, 80);
  EXPECT_NEAR(seen[4], 500, 80);
}

// The same one by one, as the definition has it: in a matrix whose rows lie apart, all sizes.
TEST(Derivatives, AgreeWithThePlainOnes) {
  constexpr std::size_t rows = 3, columns = 37, stride = 50;
  Vector g(rows * stride);
  for (std::size_t v = 0; v < g.size(); ++v)
    g[v] = static_cast<real>(std::exp2(-static_cast<double>(v % 9)) * std::sin(7.0 * v));
  g[3] = 0;
  g[4] = 1.5;
  Vector expected = g;
  std::vector<std::uint32_t> words(rows * columns);
  Key own = coins;
  own.seed += std::uint64_t{3} << 32U;
  random_words(own, 0, words);
  for (std::size_t v = 0; v < words.size(); ++v) {
    real& value = expected[v / columns * stride + v % columns];
    const double size = std::abs(static_cast<double>(value)), least = 1.5 / 64;
    const double low = size < least ? 0 : least * std::exp2(std::floor(std::log2(size / least)));
    const double step = size < least ? least : low;
    const bool is_up = (words[v] + 0.5) / 4294967296.0 * step < size - low;
    value = std::copysign(static_cast<real>(is_up ? low + step : low), value);
  }
  quantise_derivatives(matrix(g.data(), rows, columns, stride), coins, 2, words);
  EXPECT_EQ(g, expected);
}

TEST(Derivatives, OfOtherPartsHaveOtherCoins) {
  Vector a(64, real{3}), b(64, real{3});
  a[0] = b[0] = 64;
  std::vector<std::uint32_t> words;
  quantise_derivatives(row_of(a), coins, 0, words);
  quantise_derivatives(row_of(b), coins, 1, words);
  EXPECT_NE(a, b);
}

TEST(Derivatives, ThatAreNotFiniteStay) {
  const Vector g{1, std::numeric_limits<real>::infinity(), 0.3F};
  EXPECT_EQ(rounded(g, 1), g);
}

// The mean of many quantised gradients is the gradient with quantised weights and activations.
class QuantisedProblem : public ::testing::TestWithParam<const char*> {};

TEST_P(QuantisedProblem, GradientsAreThoseOfTheLevelsInTheMean) {
  const auto problem =
      testing::make_problem(GetParam(), {16, 3},
                            std::string(GetParam()) == "cnn"
                                ? "channels = [2, 3]\nkernel = 1\nquantise = \"luq\""
                                : "hidden = [5, 4]\nactivation = \"relu\"\nquantise = \"luq\"");
  EXPECT_TRUE(problem->mixes_records());
  EXPECT_NE(problem->description().find(", 3 bits"), std::string::npos);
  const Dataset data = testing::dense_records(7, 16, 3, 5);
  Batch batch;
  const std::vector<std::uint32_t> rows{0, 1, 2, 3, 4, 5, 6};
  problem->load(data, rows, batch);
  Vector x(problem->dimension());
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = static_cast<real>(0.5 * std::sin(2.0 * static_cast<double>(j) + 1));
  Vector factors(rows.size() * problem->factors());
  auto gradient = [&](std::optional<std::uint32_t> round) {
    batch.coins.reset();
    if (round) batch.coins = Key{9, Purpose::training, 4, *round};
    Vector sum(x.size(), real{0});
    problem->linearise(batch, x, factors, false);
    problem->accumulate(batch, factors, 1.0, sum);
    return sum;
  };
  const Vector expected = gradient({});
  constexpr std::uint32_t rounds = 20'000;
  std::vector<double> sum(x.size()), square(x.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Vector g = gradient(round);
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum[j] += g[j];
      square[j] += std::pow(static_cast<double>(g[j]), 2);
    }
  }
  EXPECT_EQ(gradient(7), gradient(7));
  EXPECT_NE(gradient(7), gradient(8));
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double mean = sum[j] / rounds;
    const double error = std::sqrt(std::max(0.0, square[j] / rounds - mean * mean) / rounds);
    EXPECT_NEAR(mean, static_cast<double>(expected[j]), 5 * error + 1e-5) << j;
  }
}
INSTANTIATE_TEST_SUITE_P(Networks, QuantisedProblem, ::testing::Values("network", "cnn"));

TEST(LowPrecision, InnerLayersNeedThree) {
  const std::string words = testing::refusal([] {
    testing::make_problem("network", {16, 3},
                          "hidden = 5\nquantise = \"luq\"\nquantised_layers = \"inner\"");
  });
  EXPECT_NE(words.find("2 layers have none between the first and the last; choose all"),
            std::string::npos)
      << words;
}

// With whole ends and one hidden layer between them the first product sees whole weights.
TEST(LowPrecision, WholeEndsStayWhole) {
  const auto whole =
      testing::make_problem("network", {4, 2}, "hidden = [3, 3]\nactivation = \"relu\"");
  const auto inner = testing::make_problem(
      "network", {4, 2},
      "hidden = [3, 3]\nactivation = \"relu\"\nquantise = \"luq\"\nquantised_layers = \"inner\"");
  const Dataset data = testing::dense_records(2, 4, 2, 3);
  const std::vector<std::uint32_t> rows{0, 1};
  Vector x(whole->dimension());
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = static_cast<real>(0.3 * std::cos(1.0 * static_cast<double>(j)));
  // Activations of the first and of the second hidden layer, which lie behind the errors of each.
  auto layer = [&](Problem& problem, int number) {
    Batch batch;
    problem.load(data, rows, batch);
    Vector factors(rows.size() * problem.factors());
    problem.linearise(batch, x, factors, false);
    const auto from = factors.begin() + (number == 1 ? 3 : 9);
    return Vector(from, from + 3);
  };
  EXPECT_EQ(layer(*whole, 1), layer(*inner, 1));
  EXPECT_NE(layer(*whole, 2), layer(*inner, 2));
  const auto all = testing::make_problem(
      "network", {4, 2}, "hidden = [3, 3]\nactivation = \"relu\"\nquantise = \"luq\"");
  EXPECT_NE(layer(*whole, 1), layer(*all, 1));
}

}  // namespace trilemma::low_precision_test
