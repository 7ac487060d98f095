// SQKR (src/privacy/sqkr.hpp) against its formulas and external values (joint mechanisms, sections
// 5 and 10 of the specification).

#include "privacy/sqkr.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::sqkr_test {

// A vector of norm 2 along a random direction.
Vector vector_of(std::size_t dimension, std::uint32_t seed, double norm = 2) {
  Vector x = testing::random_vector(dimension, seed);
  double square = 0;
  for (const real value : x) square += static_cast<double>(value) * static_cast<double>(value);
  for (real& value : x) value *= static_cast<real>(norm / std::sqrt(square));
  return x;
}

struct Answer {
  std::vector<std::uint32_t> at;
  std::vector<std::int32_t> signs;
  Vector decoded;
};

Answer answer(Sqkr& sqkr, const Vector& x, unsigned bits, std::uint32_t client,
              std::uint64_t seed = 3) {
  Answer found{{}, std::vector<std::int32_t>(bits), Vector(x.size())};
  sqkr.coordinates({seed, Purpose::mask, client, 1}, found.at);
  sqkr.encode(x, found.at, {seed, Purpose::noise, client, 1}, found.signs);
  sqkr.decode(found.at, found.signs, found.decoded);
  return found;
}

TEST(Sqkr, ExternalErrors) {
  EXPECT_NEAR(sqkr_error(1000, {1, 1, 1}) / 500, 37.5, 0.05);
  EXPECT_NEAR(sqkr_error(1000, {1, 4, 4}) / 500, 3.37, 0.005);
  EXPECT_NEAR(sqkr_factor(std::log(3), 1), 2, 1e-14);
}

// ceil(epsilon) bits have the smallest error.
TEST(Sqkr, AsManyBitsAsEpsilon) {
  for (const double epsilon : {0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    const auto best = static_cast<unsigned>(std::ceil(epsilon));
    for (unsigned bits = 1; bits <= 12; ++bits)
      EXPECT_GE(sqkr_error(1000, {1, epsilon, bits}), sqkr_error(1000, {1, epsilon, best}))
          << epsilon << ' ' << bits;
  }
}

// In small dimensions too, where frames of 2 d rows represent only some vectors.
TEST(Sqkr, RepresentationsConverge) {
  for (const std::size_t dimension : {1U, 2U, 3U, 7U, 8U, 100U, 513U})
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
      Sqkr sqkr(dimension, {.norm = 2});
      answer(sqkr, vector_of(dimension, seed + 1), 1, 0, seed);
      EXPECT_LE(sqkr.residual(), 1e-6) << dimension << ' ' << seed;
      Vector axis(dimension);
      axis[seed % dimension] = -2;
      answer(sqkr, axis, 1, 0, seed);
      EXPECT_LE(sqkr.residual(), 1e-6) << dimension << ' ' << seed;
      answer(sqkr, Vector(dimension, static_cast<real>(2 / std::sqrt(dimension))), 1, 0, seed);
      EXPECT_LE(sqkr.residual(), 1e-6) << dimension << ' ' << seed;
    }
}

TEST(Sqkr, EstimatesAreUnbiasedWithTheErrorOfTheFormula) {
  constexpr std::size_t dimension = 200;
  const Vector x = vector_of(dimension, 4);
  for (const auto& [epsilon, bits] : std::map<double, unsigned>{{1, 1}, {4, 2}, {6, 6}}) {
    const SqkrOptions options{2, epsilon, bits};
    Sqkr sqkr(dimension, options);
    testing::Sample error, along;
    std::vector<double> mean(dimension);
    constexpr std::uint32_t clients = 3000;
    for (std::uint32_t client = 0; client < clients; ++client) {
      const Answer found = answer(sqkr, x, bits, client);
      double square = 0, product = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        const double value = static_cast<double>(found.decoded[j]);
        const double off = value - static_cast<double>(x[j]);
        square += off * off;
        product += off * static_cast<double>(x[j]);
        mean[j] += off / clients;
      }
      error.add(square);
      along.add(product);
    }
    const double expected = sqkr_error(dimension, options);
    EXPECT_NEAR(error.mean(), expected, 0.02 * expected + 4 * error.error()) << epsilon;
    EXPECT_NEAR(along.mean(), 0, 4 * along.error()) << epsilon;
    // The squared bias of the mean is its variance, within 4 standard errors of about sqrt(2/d).
    double bias = 0;
    for (const double value : mean) bias += value * value;
    EXPECT_NEAR(bias * clients / expected, 1, 4 * std::sqrt(2.0 / dimension)) << epsilon;
  }
}

// Every answer has a probability between 1 and e^epsilon times the least one.
TEST(Sqkr, AnswersAreRandomisedResponses) {
  constexpr double epsilon = 1.5;
  constexpr unsigned bits = 2;
  constexpr int draws = 20'000;
  Sqkr sqkr(2, {2, epsilon, bits});
  std::vector<std::uint32_t> at;
  sqkr.coordinates({3, Purpose::mask, 0, 0}, at);
  const Vector x{2, 0};
  std::vector<std::int32_t> signs(bits);
  std::map<std::vector<std::int32_t>, double> counts;
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    sqkr.encode(x, at, {3, Purpose::noise, draw, 0}, signs);
    counts[signs] += 1.0 / draws;
  }
  double least = 1, most = 0;
  for (const auto& [answer, share] : counts) {
    least = std::min(least, share);
    most = std::max(most, share);
  }
  EXPECT_EQ(counts.size(), 4U);
  EXPECT_LE(most / least, std::exp(epsilon) * 1.1);
  const double sum = std::exp(epsilon) + 3;
  EXPECT_GE(least, 1 / sum - 4 * std::sqrt(1 / sum / draws));
  EXPECT_LE(most, std::exp(epsilon) / sum + 4 * std::sqrt(0.25 / draws));
  EXPECT_NEAR(sqkr_pair(epsilon, bits).zero, 2 / sum, 1e-15);
}

// Draws have no state: a message does not depend on those before it.
TEST(Sqkr, MessagesAreAddressed) {
  const Vector x = vector_of(50, 3), y = vector_of(50, 4);
  Sqkr one(50, {2, 3, 3}), other(50, {2, 3, 3});
  answer(one, y, 3, 1, 4);
  const Answer first = answer(one, x, 3, 2), again = answer(other, x, 3, 2);
  EXPECT_EQ(first.at, again.at);
  EXPECT_EQ(first.signs, again.signs);
  EXPECT_EQ(first.decoded, again.decoded);
  EXPECT_NE(first.decoded, answer(one, x, 3, 2, 4).decoded);
  EXPECT_NE(first.at, answer(one, x, 3, 3).at);
}

}  // namespace trilemma::sqkr_test
