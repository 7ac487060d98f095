// Error feedback (src/memory/error_feedback.cpp): what a compressor leaves out is sent later.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/federation.hpp"
#include "tests/support/stubs.hpp"

namespace trilemma::compression_error_test {

constexpr std::size_t d = 5;

testing::Fixture::Options with_feedback(const char* compressor, const char* settings) {
  return {.compressor = compressor,
          .compressor_settings = settings,
          .memory = "error-feedback",
          .memory_step = 1};
}

// One coordinate of five, times five: what is sent and what is kept add up to all gradients, also
// though the compressor names its coordinates before it sees the vector.
TEST(CompressionError, NothingIsLost) {
  const Vector g{1, 2, 3, 4, 5};
  testing::GivenEstimator given({g});
  testing::Fixture fixture(given, 1, d, with_feedback("rand-k", "k = 1"));
  std::vector<double> error(d, 0.0);
  for (std::uint32_t round = 0; round < 6; ++round) {
    const auto sent = fixture.decoded(round, fixture.send(round, Vector(d, real{0})))[0];
    for (std::size_t j = 0; j < d; ++j) {
      const double wanted = static_cast<double>(g[j]) + error[j];
      if (sent[j] != 0) {
        EXPECT_NEAR(sent[j], 5 * wanted, 1e-3 * std::abs(wanted)) << round;
      }
      error[j] = wanted - sent[j];
    }
  }
}

TEST(CompressionError, WithoutCompressionThereIsNone) {
  const Vector g{1, -2, 3, 4, 5};
  testing::GivenEstimator given({g});
  testing::Fixture fixture(given, 1, d, with_feedback("identity", ""));
  for (std::uint32_t round = 0; round < 3; ++round)
    EXPECT_EQ(fixture.decoded(round, fixture.send(round, Vector(d, real{0})))[0],
              (std::vector<double>{1, -2, 3, 4, 5}));
}

// A memory behind the bound: the noise must be in the vector by then.
TEST(CompressionError, SaysWhatItNeedsAndComesBackFromARestart) {
  const MemoryKind& kind = row(memories(), "error-feedback").make;
  EXPECT_TRUE(kind.traits.changes_released && kind.traits.needs_whole_vectors);
  const auto first = kind.client(1, 2, 1);
  const Vector sent{3, -1};
  first->after_sending(0, {Support::all(), sent});  // e = (-3, 1)
  Bytes bytes;
  State saving = State::saving(bytes);
  first->persist(0, saving);
  const auto second = kind.client(1, 2, 1);
  State restoring = State::restoring(bytes);
  second->persist(0, restoring);
  restoring.finish();
  Settings none = Settings::empty();
  Vector u{0, 0};
  Vector released;
  const auto bounded = row(bounds(), "none").make(none)->apply(u);
  second->before_sending(0, make_gaussian(0)->release(bounded, Support::all(), {}, released));
  EXPECT_EQ(released, (Vector{-3, 1}));
}

// u = (1, 2) twice: the first message carries coordinate 0, so 2 waits for the second.
TEST(LeftOut, ByHand) {
  const MemoryKind& kind = row(memories(), "residual").make;
  EXPECT_TRUE(kind.traits.takes_biased && kind.traits.needs_client_bound);
  EXPECT_FALSE(kind.traits.changes_released);
  const auto client = kind.client(2, 2, 1);
  Vector u{1, 2};
  client->before_bound(0, u);
  EXPECT_EQ(u, (Vector{1, 2}));
  const std::vector<std::uint32_t> at{0};
  const Vector sent{0.5F};  // whatever the bound has made of it
  client->after_sending(0, {Support::of(at), sent});
  u = {1, 2};
  client->before_bound(0, u);
  EXPECT_EQ(u, (Vector{1, 4}));
  u = {1, 2};
  client->before_bound(1, u);
  EXPECT_EQ(u, (Vector{1, 2}));  // slots are apart
  const auto server = kind.server(2, 1);
  std::vector<double> mean{3, 4};
  server->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{3, 4}));
}

}  // namespace trilemma::compression_error_test
