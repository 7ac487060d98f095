// Bernoulli masks (src/compress/bernoulli.cpp; spec algorithms.md 1.1): every coordinate with
// probability p, scaled by 1/p; messages differ in size.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/compressors.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::bernoulli_test {

using testing::Federation;
using testing::make_compressor;

Key key(std::uint32_t round) { return {11, Purpose::mask, 3, round}; }

TEST(Bernoulli, ByHand) {
  const auto compressor = make_compressor("bernoulli", 3, "p = 0.5");
  EXPECT_EQ(compressor->traits().omega, 1.0);
  const Vector z{1, -2, 3};
  std::set<std::vector<double>> seen;
  for (std::uint32_t round = 0; round < 200; ++round) {
    Message message;
    compressor->compress(z, key(round), message);
    ASSERT_EQ(message.value.size(), message.index.size());
    for (std::size_t i = 0; i < message.index.size(); ++i)
      EXPECT_EQ(message.value[i], 2 * z[message.index[i]]);
    seen.insert(testing::dense(compressor->expand(message), 3));
  }
  EXPECT_EQ(seen.size(), 8U);  // all subsets, the empty one and the whole one too
}

TEST(Bernoulli, SizesAreBinomial) {
  constexpr std::size_t d = 400;
  constexpr double p = 0.1;
  constexpr int rounds = 2000;
  const auto compressor = make_compressor("bernoulli", d, "p = 0.1");
  const Vector z(d, real{1});
  double sum = 0, squares = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Message message;
    compressor->compress(z, key(round), message);
    const auto size = static_cast<double>(message.entries());
    sum += size;
    squares += size * size;
  }
  const double mean = sum / rounds;
  const double variance = squares / rounds - mean * mean;
  EXPECT_NEAR(mean, d * p, 5 * std::sqrt(d * p * (1 - p) / rounds));
  EXPECT_NEAR(variance, d * p * (1 - p), 5 * d * p * std::sqrt(2.0 / rounds));
}

TEST(Bernoulli, PIsOneIsTheIdentity) {
  const std::vector<std::string> common{"method=soteriafl-sgd", "rounds=6"};
  auto all = common;
  all.insert(all.end(), {"compressor.kind=bernoulli", "compressor.p=1"});
  auto identity = common;
  identity.push_back("compressor.kind=identity");
  EXPECT_EQ(testing::run_tiny(all), testing::run_tiny(identity));
}

// What the record counts is what the messages take: 64 bits a value, no indices, no sizes.
TEST(Bernoulli, BitsAreCountedByMessage) {
  Federation f(testing::tiny_experiment, {"compressor.kind=bernoulli", "compressor.p=0.3"});
  std::uint64_t bytes = 0;
  std::set<std::size_t> sizes;
  for (int round = 0; round < 8; ++round) {
    const std::size_t size = f.round().size();
    sizes.insert(size);
    bytes += size;
  }
  EXPECT_GT(sizes.size(), 2U);
  EXPECT_EQ(f.noted().count("bits_up_payload"), 8 * bytes);
  EXPECT_EQ(f.noted().count("bits_up_model"), 32 * bytes / 8);
}

TEST(Bernoulli, ShortCutsGiveTheSameBits) {
  const std::vector<std::string> choice{"compressor.kind=bernoulli", "compressor.p=0.2"};
  auto staged = choice;
  staged.emplace_back("debug.staged=true");
  EXPECT_EQ(testing::run_tiny(choice), testing::run_tiny(staged));
}

// What a message takes is known to whoever reads the record.
TEST(Bernoulli, IsRefusedWhereItsSizesWouldTellWhoTakesPart) {
  const std::vector<std::string> words{"method=dp-fedavg-clip", "compressor.kind=bernoulli"};
  EXPECT_NO_THROW(Federation(testing::tiny_experiment, words));
  for (const char* kind : {"poisson", "fixed-size"}) {
    auto drawn = words;
    drawn.push_back(fmt::format("participation.kind={}", kind));
    testing::expect_parts(
        testing::refusal([&] { Federation(testing::tiny_experiment, drawn); }),
        {"compressor.kind", "message sizes reveal who participates", "participation.kind"});
    drawn.emplace_back("privacy.noise_at=client");  // against who sees every message anyway
    EXPECT_NO_THROW(Federation(testing::tiny_experiment, drawn));
  }
}

// ||C(z)|| <= ||z|| / p, with equality where all coordinates of z that are not 0 are sent.
TEST(Bernoulli, TheGainIsReached) {
  const auto compressor = make_compressor("bernoulli", 2, "p = 0.25");
  EXPECT_EQ(compressor->traits().gain, 4);
  bool is_reached = false;
  for (std::uint32_t round = 0; round < 50; ++round) {
    Message message;
    compressor->compress(Vector{3, 0}, key(round), message);
    const auto sent = testing::dense(compressor->expand(message), 2);
    EXPECT_LE(std::abs(sent[0]), 12);
    is_reached = is_reached || sent[0] == 12;
  }
  EXPECT_TRUE(is_reached);
}

TEST(Bernoulli, RefusesABudgetOfBits) {
  testing::expect_parts(
      testing::refusal([] {
        Federation(testing::tiny_experiment, {"compressor.kind=bernoulli", "budget.upload=1MB"});
      }),
      {"budget.upload", "differ in size", "rounds"});
}

}  // namespace trilemma::bernoulli_test
