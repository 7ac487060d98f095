// The compressor that does nothing (src/compress/identity.cpp): omega = 0, d values on the wire.

#include <gtest/gtest.h>

#include "tests/support/compressors.hpp"

namespace trilemma::identity_test {

TEST(Identity, ByHand) {
  const auto compressor = testing::make_compressor("identity", 3);
  EXPECT_TRUE(compressor->traits().unbiased);
  EXPECT_EQ(compressor->traits().omega, 0.0);
  EXPECT_EQ(compressor->layout().most_bits(), 96U);
  Message message;
  compressor->compress(Vector{1, -2, 0}, {}, message);
  EXPECT_EQ(message.value, (Vector{1, -2, 0}));
  EXPECT_TRUE(message.index.empty());
  EXPECT_TRUE(compressor->expand(message).at.is_all());
}

}  // namespace trilemma::identity_test
