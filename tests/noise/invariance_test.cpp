// The noise of a client in a round is a function of the master seed, the client and the round: the
// same bits wherever, whenever and with whomever it is drawn, other bits for another seed.

#include <gtest/gtest.h>

#include <array>
#include <future>

#include "tests/support/noise_samples.hpp"

namespace trilemma::invariance_test {

using testing::SentNoise;
using testing::WireRun;

// Seventy clients are more than a block of the client side and no multiple of four.
std::vector<Bytes> messages(std::vector<std::string> overrides, int ranks) {
  overrides.insert(overrides.end(), {"clients=70", "data.features=33"});
  WireRun run(overrides, ranks);
  std::vector<Bytes> all;
  for (std::uint32_t round = 0; round < 6; ++round) all.push_back(run.send(round));
  return all;
}

TEST(NoiseInvariance, TheSplitOverRanksChangesNoBit) {
  for (const std::vector<std::string>& method :
       {std::vector<std::string>{"method=ldp-sgd"},
        {"method=cdp-sgd", "compressor.k=5"},
        {"method=soteriafl-svrg", "compressor.k=5", "compressor.mask=explicit"}}) {
    const auto one = messages(method, 1);
    for (const int ranks : {2, 3, 4}) EXPECT_EQ(messages(method, ranks), one) << ranks;
  }
}

TEST(NoiseInvariance, ThreadsChangeNoBit) {
  const auto one = messages({}, 1);
  std::array<std::future<std::vector<Bytes>>, 4> parallel;
  for (auto& result : parallel)
    result = std::async(std::launch::async, [] { return messages({}, 1); });
  for (auto& result : parallel) EXPECT_EQ(result.get(), one);
}

TEST(NoiseInvariance, TheOrderOfRoundsChangesNoBit) {
  WireRun forward;
  WireRun backward;
  std::vector<Bytes> sent;
  for (std::uint32_t round = 0; round < 9; ++round) sent.push_back(forward.send(round));
  for (std::uint32_t round = 9; round-- > 0;) {
    EXPECT_EQ(backward.send(round), sent[round]) << round;
    EXPECT_EQ(backward.send(round), sent[round]) << "again " << round;
  }
}

TEST(NoiseInvariance, OtherClientsChangeNoBit) {
  WireRun few({"clients=3"});
  WireRun many({"clients=90"});
  for (std::uint32_t round = 0; round < 5; ++round) {
    const Bytes all = many.send(round);
    const Bytes some = few.send(round);
    ASSERT_EQ(all.size(), 30 * some.size());
    EXPECT_EQ(Bytes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some.size())), some);
  }
}

// d/k is a power of two here, so rand-k scales without rounding.
TEST(NoiseInvariance, CompressionChangesNoBitOfWhatIsSent) {
  auto options = testing::rand_k;
  WireRun whole;
  WireRun fused(options);
  options.emplace_back("debug.staged=true");
  WireRun staged(options);
  for (std::uint32_t round = 0; round < 20; ++round) {
    const auto all = whole.noise(round);
    const auto some = fused.noise(round);
    const auto same = staged.noise(round);
    for (std::size_t c = 0; c < all.size(); ++c) {
      ASSERT_EQ(some[c].z.size(), 64U);
      EXPECT_EQ(some[c].index, same[c].index);
      EXPECT_EQ(some[c].z, same[c].z);
      for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(some[c].z[i], all[c].z[some[c].index[i]]);
    }
  }
}

// Neighbouring seeds, and seeds that differ above 32 bits only.
TEST(NoiseInvariance, AnotherMasterSeedGivesOtherBits) {
  constexpr std::uint32_t rounds = 32;
  WireRun first({"seed=1"});
  const auto one = testing::collect(first, rounds);
  for (const char* const seed : {"seed=0", "seed=2", "seed=4294967297"}) {
    WireRun run({seed});
    const auto other = testing::collect(run, rounds);
    double sum = 0;
    double count = 0;
    std::size_t same = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
      for (std::size_t j = 0; j < one[i].z.size(); ++j) {
        sum += one[i].z[j] * other[i].z[j];
        same += one[i].z[j] == other[i].z[j] ? 1U : 0U;
        ++count;
      }
    EXPECT_EQ(same, 0U) << seed;
    testing::expect_uncorrelated(sum, count, seed);
  }
}

}  // namespace trilemma::invariance_test
