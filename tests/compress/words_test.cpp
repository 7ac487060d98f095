// The messages of joint mechanisms (src/compress/words.hpp).

#include "compress/words.hpp"

#include <gtest/gtest.h>

#include "compress/receiver.hpp"

namespace trilemma::words_test {

TEST(Words, CarryWholeNumbersInTheirBitsUnchanged) {
  for (const unsigned bits : {4U, 13U, 24U}) {
    const auto words = make_words(3, bits);
    const auto half = static_cast<real>(std::int64_t{1} << (bits - 1));
    const Vector sent{-half, 0, half - 1};
    Message message;
    words->compress(sent, {}, message);
    EXPECT_EQ(words->layout().most_bits(), 3 * std::uint64_t{bits});
    const Measure measured = measure(words->layout(), message);
    EXPECT_EQ(measured.bits, 3 * std::uint64_t{bits});
    Bytes bytes(measured.bytes());
    encode(words->layout(), message, measured, bytes);
    const auto other_end = make_words(3, bits);
    const SparseView found = Receiver(*other_end).open(bytes, {});
    EXPECT_EQ(Vector(found.value.begin(), found.value.end()), sent);
  }
}

// The receiver restores what the client's answer stands for, from k bits and the key.
TEST(Answers, CarryTheirSigns) {
  const SqkrOptions options{.norm = 2, .epsilon = 5, .bits = 5};
  const auto sender = make_answers(70, options), other_end = make_answers(70, options);
  const Key mask{3, Purpose::mask, 4, 9};
  Vector released(70);
  const std::vector<std::int32_t> signs{-1, 1, 1, -1, 1};
  std::copy(signs.begin(), signs.end(), released.begin());
  Message message;
  sender->compress(released, mask, message);
  const Measure measured = measure(sender->layout(), message);
  EXPECT_EQ(measured.bits, 5U);
  EXPECT_EQ(sender->layout().most_bits(), 5U);
  Bytes bytes(measured.bytes());
  encode(sender->layout(), message, measured, bytes);
  Sqkr sqkr(70, options);
  std::vector<std::uint32_t> at;
  sqkr.coordinates(mask, at);
  Vector expected(70);
  sqkr.decode(at, signs, expected);
  const SparseView found = Receiver(*other_end).open(bytes, mask);
  EXPECT_EQ(Vector(found.value.begin(), found.value.end()), expected);
}

// By the client's own coins the message names its coordinates, and its key says nothing.
TEST(Answers, CarryTheirCoordinates) {
  const SqkrOptions options{.norm = 2, .epsilon = 5, .bits = 3, .own_coins = true};
  const auto sender = make_answers(1000, options), other_end = make_answers(1000, options);
  Vector released(1000);
  const std::vector<std::uint32_t> at{0, 17, 2047};
  const std::vector<std::int32_t> signs{1, -1, -1};
  for (std::size_t l = 0; l < 3; ++l)
    released[l] = static_cast<real>(signs[l]) * static_cast<real>(at[l] + 1);
  Message message;
  sender->compress(released, {3, Purpose::mask, 4, 9}, message);
  const Measure measured = measure(sender->layout(), message);
  EXPECT_EQ(measured.bits, 3U * (1 + 11));
  EXPECT_EQ(sender->layout().most_bits(), measured.bits);
  Bytes bytes(measured.bytes());
  encode(sender->layout(), message, measured, bytes);
  Sqkr sqkr(1000, options);
  sqkr.set_frame(3);
  Vector expected(1000);
  sqkr.decode(at, signs, expected);
  const SparseView found = Receiver(*other_end).open(bytes, {3, Purpose::mask, 5, 1});
  EXPECT_EQ(Vector(found.value.begin(), found.value.end()), expected);
}

}  // namespace trilemma::words_test
