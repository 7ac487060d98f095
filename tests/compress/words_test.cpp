// Integers modulo 2^b as messages (src/compress/words.hpp).

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

}  // namespace trilemma::words_test
