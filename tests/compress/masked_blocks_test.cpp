// Blocks under keyed masks (src/compress/masked_blocks.hpp): whole blocks, clipped to their bound,
// unbiased, and nothing else in a message.

#include "compress/masked_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "compress/receiver.hpp"

namespace trilemma::masked_blocks_test {

constexpr std::size_t dimension = 50;
constexpr double norm = 2;
// Seven blocks, the last of which has two coordinates.
constexpr MaskedBlocks blocks{.rate = 0.3, .block = 8, .range = 1.5};

double norm_of(ConstView x) {
  double sum = 0;
  for (const real value : x) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

// Its last block alone is longer than the bound of a block, 2 * 1.5 * sqrt(8 / 50) = 1.2.
Vector vector() {
  Vector x(dimension, real(0.05));
  x[48] = real(1.5);
  return x;
}

TEST(MaskedBlocks, AreCountedAndBounded) {
  EXPECT_EQ(blocks.count(dimension), 7U);
  EXPECT_DOUBLE_EQ(blocks.limit(norm, dimension), 1.2);
  EXPECT_EQ((MaskedBlocks{.block = 64}.limit(norm, dimension)), norm);
}

TEST(MaskedBlocks, MessagesHoldTheValuesOfWholeBlocks) {
  const auto sender = make_masked_blocks(blocks, dimension, norm);
  const auto other_end = make_masked_blocks(blocks, dimension, norm);
  Receiver receiver(*other_end);
  const Vector x = vector();
  constexpr std::uint32_t rounds = 2000;
  double drawn = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Key key{7, Purpose::mask, 4, round};
    Message message;
    sender->compress(x, key, message);
    const Measure measured = measure(sender->layout(), message);
    ASSERT_EQ(measured.bits, message.index.size() * 8 * sizeof(real));
    Bytes bytes(measured.bytes());
    encode(sender->layout(), message, measured, bytes);
    const SparseView found = receiver.open(bytes, key);
    ASSERT_TRUE(std::ranges::equal(found.at.list(), message.index));
    ASSERT_TRUE(std::ranges::equal(found.value, message.value));
    for (std::size_t i = 0; i < message.index.size();) {
      ASSERT_EQ(message.index[i] % 8, 0U);
      const std::size_t size = std::min<std::size_t>(8, dimension - message.index[i]);
      ASSERT_EQ(message.index[i + size - 1], message.index[i] + size - 1);
      const ConstView block(message.value.data() + i, size);
      ASSERT_LE(norm_of(block), 1.2 / 0.3);
      i += size;
      drawn += 1;
    }
  }
  constexpr double mean = 0.3 * 7;
  EXPECT_NEAR(drawn / rounds, mean, 4 * std::sqrt(mean * 0.7 / rounds));
}

TEST(MaskedBlocks, AreUnbiasedForClippedBlocks) {
  const auto sender = make_masked_blocks(blocks, dimension, norm);
  const Vector x = vector();
  constexpr std::uint32_t rounds = 20'000;
  std::vector<double> mean(dimension);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Message message;
    sender->compress(x, {9, Purpose::mask, 0, round}, message);
    for (std::size_t i = 0; i < message.index.size(); ++i)
      mean[message.index[i]] += static_cast<double>(message.value[i]) / rounds;
  }
  const double clipped = 1.2 / std::hypot(1.5, 0.05);
  for (std::size_t j = 0; j < dimension; ++j) {
    const double expected = static_cast<double>(x[j]) * (j >= 48 ? clipped : 1);
    EXPECT_NEAR(mean[j], expected, 5 * std::abs(expected) * std::sqrt((1 / 0.3 - 1) / rounds)) << j;
  }
}

}  // namespace trilemma::masked_blocks_test
