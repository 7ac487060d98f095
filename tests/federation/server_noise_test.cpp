// How much noise reaches the model, and who adds it (spec algorithms.md 2.2 and 3.3,
// privacy.md 2.1): one N(0, sigma^2) on the mean from the server, whoever takes part; or one from
// each participant,
// (|S|/r^2) sigma^2 on the mean and none in an empty round.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "numeric/random.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::server_noise_test {

using testing::Federation;
using Words = std::vector<std::string>;

constexpr double sigma = 0.05;  // of the tiny experiment
constexpr std::uint32_t rounds = 3000;

// Squares of what a round's noise adds to a coordinate of the mean, by the number of participants.
// Nothing but noise moves the model: the bound is 1e-9, the start 0, the rate 1.
std::map<std::size_t, testing::Sample> squares(const Words& more) {
  Words words{"method=dp-fedavg-clip", "local.steps=1", "server.rate=1", "bound.threshold=1e-9",
              "start.scale=0"};
  words.insert(words.end(), more.begin(), more.end());
  Federation f(testing::tiny_experiment, words);
  std::map<std::size_t, testing::Sample> found;
  std::vector<std::uint32_t> participants;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    f.plan.schedule.make()->participants(round, participants);
    f.parts.x.assign(f.x().size(), real{0});
    f.round();
    for (const real value : f.x())
      found[participants.size()].add(static_cast<double>(value) * static_cast<double>(value));
  }
  return found;
}

// Five standard errors in a few tests each.
void expect_variance(const Words& words, std::size_t participants, double expected) {
  const auto found = squares(words);
  ASSERT_TRUE(found.count(participants)) << participants;
  testing::expect_mean(found.at(participants), expected, 1e-12);
}

TEST(ServerNoise, IsTheSameWhoeverTakesPart) {
  const auto found = squares({"participation.kind=poisson", "participation.rate=0.4"});
  ASSERT_EQ(found.size(), 5U);  // 0 to 4 of 4 clients
  for (const auto& [participants, sample] : found)
    testing::expect_mean(sample, sigma * sigma, 1e-9);
}

TEST(ServerNoise, IsTheSameForOtherSchedules) {
  expect_variance({}, 4, sigma * sigma);
  expect_variance({"participation.kind=fixed-size", "participation.size=1"}, 1, sigma * sigma);
}

// The server adds it after compression: not d/k times, and not at some coordinates only.
TEST(ServerNoise, IsNotCompressed) {
  const auto found = squares({"compressor.kind=rand-k", "compressor.k=4"});
  testing::expect_mean(found.at(4), sigma * sigma, 1e-9);
}

// (|S| / r^2) sigma^2, r = 1.6 expected participants.
TEST(ClientNoise, GrowsWithTheParticipants) {
  const auto found =
      squares({"privacy.noise_at=client", "participation.kind=poisson", "participation.rate=0.4"});
  for (const auto& [participants, sample] : found) {
    const double expected = static_cast<double>(participants) / (1.6 * 1.6) * sigma * sigma;
    testing::expect_mean(sample, expected, participants == 0 ? 0 : 1e-9);
  }
  EXPECT_EQ(found.at(0).mean(), 0);
}

TEST(ClientNoise, OfAllClients) {
  expect_variance({"privacy.noise_at=client"}, 4, sigma * sigma / 4);
}

// [NORM]: each participant adds N(0, r sigma^2), so the mean carries (|S|/r) sigma^2; [NEC]: the
// server's form has the same variance on the mean as r clients.
TEST(ClientNoise, ClosedFormsAgreeWithTheServers) {
  for (const char* method : {"dp-fedavg-clip", "fed-alpha-normec", "pmtl"})
    for (const Words& who :
         {Words{}, Words{"participation.kind=poisson", "participation.rate=0.5"}}) {
      auto noise = [&](const char* place) {
        Words words{std::string("method=") + method, "privacy.calibration=paper",
                    "privacy.epsilon=2", "privacy.delta=1e-3", place};
        words.insert(words.end(), who.begin(), who.end());
        std::string toml = testing::tiny_experiment;
        toml.erase(toml.find("sigma = 0.05"), 12);
        return Federation(toml, words).parts.sigma;
      };
      const double participants = who.empty() ? 4 : 2;
      EXPECT_NEAR(noise("privacy.noise_at=client"),
                  std::sqrt(participants) * noise("privacy.noise_at=server"), 1e-9)
          << method;
    }
}

// It is number j of a stream that no client has.
TEST(ServerNoise, IsNoClientsNoise) {
  auto step = [](const char* place) {
    Federation f(testing::tiny_experiment, {"method=dp-fedavg-clip", "bound.threshold=1e-9",
                                            "start.scale=0", "server.rate=1", "clients=1", place});
    f.round();
    return f.x();
  };
  const Vector server = step("privacy.noise_at=server");
  const Vector client = step("privacy.noise_at=client");
  for (std::size_t j = 0; j < server.size(); ++j) EXPECT_GT(std::abs(server[j] - client[j]), 1e-6);
  std::vector<double> z(server.size());
  for (std::uint32_t who = 0; who < 100; ++who) {
    normals({1, Purpose::noise, who, 0}, 0, z);
    EXPECT_GT(std::abs(static_cast<double>(server[0]) + sigma * z[0]), 1e-6) << who;
  }
}

// Rounds without participants are rounds: the guarantee counts them.
TEST(ServerNoise, EmptyRoundsCarryIt) {
  for (const char* method : {"dp-fedavg-clip", "dp-normfedavg", "dp-fedavg-smooth", "alpha-normec",
                             "fed-alpha-normec", "fed-alpha-normec-ig", "clip21", "pmtl"}) {
    Federation f(
        testing::tiny_experiment,
        {std::string("method=") + method, "participation.kind=poisson", "participation.rate=1e-9"});
    for (int round = 0; round < 3; ++round) {
      const Vector before = f.x();
      EXPECT_TRUE(f.round().empty()) << method;
      for (std::size_t j = 0; j < before.size(); ++j) EXPECT_NE(f.x()[j], before[j]) << method;
    }
  }
}

// With a secret it cannot be drawn again.
TEST(ServerNoise, FromASecret) {
  auto run = [] { return testing::run_tiny({"method=dp-fedavg-clip", "privacy.rng=chacha20"}); };
  EXPECT_NE(run(), run());
}

}  // namespace trilemma::server_noise_test
