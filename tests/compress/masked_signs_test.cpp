// Random signs under keyed masks (src/compress/masked_signs.hpp): unbiased, one bit a coordinate
// (joint mechanisms, section 1 of the specification).

#include "compress/masked_signs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "compress/receiver.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::masked_signs_test {

constexpr std::size_t dimension = 100;
constexpr double norm = 2;
constexpr MaskedSigns signs{.clip = {.range = 2.5}, .rate = 0.2};

Vector vector() {
  Vector x = testing::random_vector(dimension, 3);
  clip(x, norm);
  return x;
}

TEST(MaskedSigns, MessagesHoldOneBitForEachCoordinateOfTheMask) {
  const auto sender = make_masked_signs(signs, dimension, norm);
  const auto other_end = make_masked_signs(signs, dimension, norm);
  Receiver receiver(*other_end);
  const auto size = static_cast<real>(signs.size(norm, dimension));
  EXPECT_NEAR(static_cast<double>(size), 2.5 * 2 / 10 / 0.2, 1e-6);
  const Vector x = vector();
  double bits = 0;
  constexpr std::uint32_t rounds = 500;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Key key{7, Purpose::mask, 4, round};
    Message message;
    sender->compress(x, key, message);
    const Measure measured = measure(sender->layout(), message);
    ASSERT_EQ(measured.bits, message.index.size());
    Bytes bytes(measured.bytes());
    encode(sender->layout(), message, measured, bytes);
    const SparseView found = receiver.open(bytes, key);
    ASSERT_EQ(receiver.bits(), measured.bits);
    ASSERT_TRUE(std::ranges::equal(found.at.list(), message.index));
    for (std::size_t i = 0; i < found.value.size(); ++i)
      ASSERT_EQ(found.value[i], message.level[i] < 0 ? -size : size);
    bits += static_cast<double>(measured.bits);
  }
  const double mean = signs.rate * dimension;
  EXPECT_NEAR(bits / rounds, mean, 4 * std::sqrt(mean * (1 - signs.rate) / rounds));
}

TEST(MaskedSigns, AreUnbiasedForClippedVectorsWithTheVarianceOfTheFormula) {
  const auto sender = make_masked_signs(signs, dimension, norm);
  const double limit = signs.clip.limit(norm, dimension);
  EXPECT_DOUBLE_EQ(limit, 0.5);
  Vector x = vector();
  x[0] = 1, x[1] = -1;  // beyond the limit
  constexpr std::uint32_t rounds = 20'000;
  std::vector<double> mean(dimension);
  double squares = 0, expected = 0;
  Message message;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    sender->compress(x, {7, Purpose::mask, 4, round}, message);
    const SparseView found = sender->expand(message);
    std::vector<double> one(dimension);
    found.at.each(dimension, [&](std::size_t i, std::size_t j) {
      one[j] = static_cast<double>(found.value[i]);
    });
    for (std::size_t j = 0; j < dimension; ++j) {
      const double y = std::clamp(static_cast<double>(x[j]), -limit, limit);
      mean[j] += one[j] / rounds;
      squares += (one[j] - y) * (one[j] - y) / rounds;
    }
  }
  for (std::size_t j = 0; j < dimension; ++j) {
    const double y = std::clamp(static_cast<double>(x[j]), -limit, limit);
    const double variance = limit * limit / signs.rate - y * y;
    expected += variance;
    EXPECT_NEAR(mean[j], y, 4.5 * std::sqrt(variance / rounds)) << j;  // 100 coordinates
  }
  EXPECT_NEAR(squares, expected, 0.02 * expected);
}

TEST(MaskedSigns, NoCoordinateExceedsTheNorm) {
  const MaskedSigns wide{.clip = {.range = 30}, .rate = 1};
  EXPECT_DOUBLE_EQ(wide.clip.limit(norm, dimension), norm);
  EXPECT_DOUBLE_EQ(wide.clip.kappa(dimension), 10);
}

}  // namespace trilemma::masked_signs_test
