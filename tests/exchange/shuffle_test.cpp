// The shuffler (src/exchange/gather.cpp): every order is as probable as any other, and messages are
// only permuted.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "comm/ranks.hpp"
#include "exchange/uplink.hpp"
#include "numeric/secret.hpp"
#include "tests/support/compressors.hpp"

namespace trilemma::shuffle_test {

// Keeps the messages that the server sees.
class Seen final : public UplinkTap {
 public:
  void messages(std::uint32_t, Coordinates, const Packets& all) override {
    found.clear();
    for (std::size_t i = 0; i < all.count(); ++i) found.emplace_back(all[i].begin(), all[i].end());
  }
  void mean(std::uint32_t, std::span<const double>) override {}

  std::vector<Bytes> found;
};

// Clients whose vector (client, 1) is the same in every round.
class Clients {
 public:
  explicit Clients(std::uint32_t count, const char* compressor = "identity",
                   const Secret* secret = nullptr, const char* settings = "")
      : sent_(count),
        compressor_(testing::make_compressor(compressor, 2, settings)),
        outbox_(compressor_->layout()),
        uplink_(row(uplinks(), shuffled_uplink)
                    .make.make({.ranks = ranks_,
                                .metric_log = metric_log_,
                                .metrics = BitMetrics(metric_log_).up,
                                .compressor = testing::make_compressor(compressor, 2, settings),
                                .dimension = 2,
                                .seed = 11,
                                .secret = secret,
                                .tap = &seen_})) {
    std::iota(sent_.begin(), sent_.end(), 0U);
  }

  // The messages of a round as they were sent.
  std::vector<Bytes> send(std::uint32_t round) {
    Settings none = Settings::empty();
    const auto bound = row(bounds(), "none").make(none);
    const auto mechanism = make_gaussian(0);
    outbox_.clear();
    for (const std::uint32_t client : sent_) {
      Vector u{static_cast<real>(client), 1};
      Vector out;
      const Bounded bounded = bound->apply(u);
      const Released released = mechanism->release(bounded, Support::all(), {}, out);
      outbox_.post(compressor_->seal(released, {11, Purpose::mask, client, round}, message_));
    }
    const auto sum = uplink_->sum(round, sent_, outbox_, timer_);
    sum_.assign(sum.begin(), sum.end());
    std::vector<Bytes> all;
    const Packets packets = outbox_.packets();
    for (std::size_t i = 0; i < packets.count(); ++i)
      all.emplace_back(packets[i].begin(), packets[i].end());
    return all;
  }
  // The senders of a round in the order in which the server sees their messages.
  std::vector<std::size_t> order(std::uint32_t round) {
    const std::vector<Bytes> sent = send(round);
    std::vector<std::size_t> found;
    for (const Bytes& message : seen_.found)
      found.push_back(static_cast<std::size_t>(std::ranges::find(sent, message) - sent.begin()));
    return found;
  }
  std::vector<Bytes> seen() const { return seen_.found; }
  std::vector<double> sum() const { return sum_; }

 private:
  std::vector<std::uint32_t> sent_;
  MetricLog metric_log_;
  Ranks ranks_{Placement{.clients = 10}};
  Seen seen_;
  std::unique_ptr<Compressor> compressor_;
  Outbox outbox_;
  std::unique_ptr<Uplink> uplink_;
  Message message_;
  std::vector<double> sum_;
  PhaseTimer timer_{false};
};

// The quantile of chi-square with 23 degrees of freedom at 1 - 1e-6 is 71.6.
TEST(Shuffle, EveryOrderIsAsProbable) {
  Clients clients(4);
  std::map<std::vector<std::size_t>, double> count;
  constexpr std::uint32_t rounds = 24'000;
  for (std::uint32_t round = 0; round < rounds; ++round) ++count[clients.order(round)];
  ASSERT_EQ(count.size(), 24U);
  double statistic = 0;
  for (const auto& [order, found] : count)
    statistic += (found - rounds / 24.0) * (found - rounds / 24.0) / (rounds / 24.0);
  EXPECT_LT(statistic, 71.6);
  EXPECT_GT(statistic, 4);  // as probable: 3e-6
}

TEST(Shuffle, MessagesArePermutedAndNothingElse) {
  for (const bool varies : {false, true}) {
    Clients clients(9, varies ? "bernoulli" : "identity", nullptr, varies ? "p = 0.5" : "");
    std::vector<Bytes> sent = clients.send(5);
    std::vector<Bytes> seen = clients.seen();
    EXPECT_NE(sent, seen) << varies;
    std::ranges::sort(sent);
    std::ranges::sort(seen);
    EXPECT_EQ(sent, seen) << varies;
    if (!varies) {
      EXPECT_EQ(clients.sum(), (std::vector<double>{36, 9}));
    }
  }
}

// Who knows the seed does not know the order under a secret.
TEST(Shuffle, ASecretDecidesTheOrder) {
  std::array<std::uint8_t, Secret::size> bytes{};
  const Secret one(bytes);
  bytes[0] = 1;
  const Secret other(bytes);
  const auto open = Clients(9).order(3);
  EXPECT_EQ(Clients(9).order(3), open);
  const auto first = Clients(9, "identity", &one).order(3);
  EXPECT_EQ(Clients(9, "identity", &one).order(3), first);
  EXPECT_NE(first, open);
  EXPECT_NE(Clients(9, "identity", &other).order(3), first);
}

}  // namespace trilemma::shuffle_test
