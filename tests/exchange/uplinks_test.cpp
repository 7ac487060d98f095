// Every uplink (src/exchange) in one process: sums and what is counted. On more ranks:
// tests/ranks/run_ranks.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/ranks.hpp"
#include "exchange/uplink.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/metric_row.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::uplinks_test {

constexpr std::size_t d = 5;

struct Given {
  const char* compressor = "identity";
  const char* settings = "";
  std::size_t clients = 1;  ///< with a block of the sum each
  ValueFormat format = ValueFormat::float64;
};

// Messages of such values are read where they are.
constexpr ValueFormat wire_of_program =
    sizeof(real) == sizeof(double) ? ValueFormat::float64 : ValueFormat::float32;

class Gathered {
 public:
  explicit Gathered(const std::string& uplink, const Given& given = {})
      : compressor_(make(given)),
        outbox_(compressor_->layout()),
        uplink_(row(uplinks(), uplink)
                    .make.make({.ranks = ranks_,
                                .metric_log = metric_log_,
                                .metrics = BitMetrics(metric_log_).up,
                                .compressor = make(given),
                                .dimension = d * given.clients,
                                .stride = given.clients > 1 ? d : 0})) {}

  // From now on messages are handed over as soon as they are there.
  Gathered& posting() {
    posts_ = true;
    return *this;
  }

  // The sum of these vectors, which the clients have sent.
  std::vector<double> sum(const std::vector<Vector>& vectors,
                          const std::vector<std::uint32_t>& clients) {
    Settings none = Settings::empty();
    const auto bound = row(bounds(), "none").make(none);
    const auto mechanism = make_gaussian(0);
    outbox_.clear();
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      Vector u = vectors[i];
      const Bounded bounded = bound->apply(u);
      const Released released = mechanism->release(bounded, Support::all(), {}, released_);
      outbox_.post(compressor_->seal(released, {1, Purpose::mask, clients[i], round_}, message_));
      const bool is_whole = i % 2 == 1 || i + 1 == vectors.size();  // one or two at a time
      if (posts_ && is_whole)
        uplink_->post(round_, clients, outbox_.packets_from(i - i % 2), timer_);
    }
    const auto found = uplink_->sum(round_, clients, outbox_, timer_);
    return {found.begin(), found.end()};
  }
  std::vector<double> sum(const std::vector<Vector>& vectors) {
    std::vector<std::uint32_t> clients;
    while (clients.size() < vectors.size())
      clients.push_back(static_cast<std::uint32_t>(clients.size()));
    return sum(vectors, clients);
  }
  testing::NamedRow row_now() { return testing::end_row(metric_log_); }
  std::uint64_t payload() const { return outbox_.packets().bytes().size() * 8; }

 private:
  static std::unique_ptr<Compressor> make(const Given& given) {
    return testing::make_compressor(given.compressor, d, given.settings, given.format);
  }

  MetricLog metric_log_;
  Ranks ranks_{Placement{.clients = 10}};
  std::unique_ptr<Compressor> compressor_;
  Outbox outbox_;
  std::unique_ptr<Uplink> uplink_;
  Vector released_;
  Message message_;
  std::uint32_t round_ = 3;
  bool posts_ = false;
  PhaseTimer timer_{false};
};

class EveryUplink : public ::testing::TestWithParam<std::string> {};

std::vector<Vector> vectors_of(double scale, std::size_t count = 7) {
  std::vector<Vector> all(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < d; ++j)
      all[i].push_back(static_cast<real>(scale * std::sin(1.0 + static_cast<double>(i * d + j))));
  return all;
}

TEST_P(EveryUplink, SumsAreThoseOfTheVectors) {
  const auto vectors = vectors_of(1);
  const auto found = Gathered(GetParam()).sum(vectors);
  for (std::size_t j = 0; j < d; ++j) {
    double expected = 0;
    for (const auto& vector : vectors) expected += static_cast<double>(vector[j]);
    EXPECT_NEAR(found[j], expected, 1e-12);
  }
}

TEST_P(EveryUplink, ABlockForEachClient) {
  const auto vectors = vectors_of(1, 2);
  const auto found = Gathered(GetParam(), {.clients = 4}).sum(vectors, {3, 1});
  ASSERT_EQ(found.size(), 4 * d);
  for (std::size_t j = 0; j < d; ++j) {
    EXPECT_EQ(found[j] + found[2 * d + j], 0);
    EXPECT_NEAR(found[3 * d + j], static_cast<double>(vectors[0][j]), 1e-12);
    EXPECT_NEAR(found[d + j], static_cast<double>(vectors[1][j]), 1e-12);
  }
}

// The first guess of the size of the values is that of the round before.
TEST_P(EveryUplink, WhatCameBeforeLeavesNoTrace) {
  for (const double scale : {1e-6, 0.3, 1.0, 1.9, 1e7}) {
    const auto expected = Gathered(GetParam()).sum(vectors_of(scale));
    Gathered other(GetParam());
    for (const double before : {1.0, 1e9, 0.0, 1e-9, 3.0, scale}) {
      other.sum(vectors_of(before));
      EXPECT_EQ(other.sum(vectors_of(scale)), expected) << scale << " after " << before;
    }
  }
}

TEST_P(EveryUplink, TheOrderOfMessagesIsNobodysBusiness) {
  auto vectors = vectors_of(1);
  const auto expected = Gathered(GetParam()).sum(vectors);
  std::reverse(vectors.begin(), vectors.end());
  EXPECT_EQ(Gathered(GetParam()).sum(vectors), expected);
}

// In a unit for the largest values, the small ones would vanish.
TEST_P(EveryUplink, SmallCoordinatesKeepTheirDigitsBesideLargeOnes) {
  const double size[d] = {1e9, 1e-3, 1e30, 1e-30, 1};
  for (const Given& given :
       {Given{.format = ValueFormat::float32}, Given{},
        Given{.compressor = "rand-k", .settings = "k = 5", .format = ValueFormat::float32},
        Given{.compressor = "rand-k",
        .settings = "k = 5\nmask = \"shared\"",
        .format = ValueFormat::float32},
        Given{.clients = 10, .format = ValueFormat::float32}}) {
    auto vectors = vectors_of(1, 10);
    std::vector<double> expected(d * given.clients), sizes(d * given.clients);
    for (std::size_t i = 0; i < vectors.size(); ++i)
      for (std::size_t j = 0; j < d; ++j) {
        vectors[i][j] *= static_cast<real>(size[j]);
        const std::size_t place = given.clients > 1 ? i * d + j : j;
        expected[place] += static_cast<double>(vectors[i][j]);
        sizes[place] += std::abs(static_cast<double>(vectors[i][j]));
      }
    Gathered gathered(GetParam(), given);
    for (int turn = 0; turn < 2; ++turn) {  // with and without a correct guess of the largest
      const auto found = gathered.sum(vectors);
      for (std::size_t j = 0; j < found.size(); ++j)
        EXPECT_NEAR(found[j], expected[j], 5 * 0x1p-23 * sizes[j]) << given.compressor << j;
    }
  }
}

TEST_P(EveryUplink, CountsBitsAndMessages) {
  Gathered gathered(GetParam());
  gathered.sum(vectors_of(1));
  gathered.sum({});
  const auto row = gathered.row_now();
  EXPECT_EQ(row.count("messages"), 7U);
  EXPECT_EQ(row.count("bits_up_payload"), 7 * d * 64);
  EXPECT_EQ(row.count("bits_up_model"), 7 * d * 32);
}

TEST_P(EveryUplink, CountsMessagesThatDifferInSize) {
  Gathered gathered(GetParam(), {.compressor = "bernoulli", .settings = "p = 0.5"});
  gathered.sum(vectors_of(1));
  const auto row = gathered.row_now();
  EXPECT_EQ(row.count("messages"), 7U);
  EXPECT_EQ(row.count("bits_up_payload"), gathered.payload());
  EXPECT_NE(row.count("bits_up_payload"), 7 * d * 64);
}

TEST_P(EveryUplink, NamesTheClientWhoseMessageIsNotFinite) {
  auto vectors = vectors_of(1, 3);
  vectors[1][2] = std::numeric_limits<real>::quiet_NaN();
  Gathered gathered(GetParam());
  try {
    gathered.sum(vectors, {4, 8, 9});
    FAIL() << "nothing was said";
  } catch (const RunFailure& error) {
    testing::expect_parts(error.what(), {"round 4: the message of client 8 holds a NaN"});
  }
}

TEST_P(EveryUplink, MessagesThatAreHandedOverEarlyCountOnce) {
  for (const Given& given :
       {Given{}, Given{.compressor = "bernoulli", .settings = "p = 0.5"},
        Given{.compressor = "rand-k", .settings = "k = 2"}, Given{.format = wire_of_program},
        Given{.compressor = "lattice", .settings = "step = 1000.0\nbits = 24"}}) {
    Gathered late(GetParam(), given);
    Gathered early(GetParam(), given);
    early.posting();
    for (const double scale : {1.0, 1e9, 0.0, 1e-9, 3.0}) {
      EXPECT_EQ(early.sum(vectors_of(scale)), late.sum(vectors_of(scale))) << scale;
      const auto found = early.row_now();
      const auto expected = late.row_now();
      for (const char* count : {"messages", "bits_up_payload", "bits_up_model"})
        EXPECT_EQ(found.count(count), expected.count(count)) << count;
    }
    EXPECT_EQ(early.sum({}), late.sum({}));
    if (given.compressor == std::string("lattice")) continue;  // refuses what is not finite itself
    auto vectors = vectors_of(1, 3);
    std::ranges::fill(vectors[0], std::numeric_limits<real>::infinity());
    EXPECT_THROW(early.sum(vectors, {4, 8, 9}), RunFailure);
    EXPECT_EQ(early.sum(vectors_of(2)), late.sum(vectors_of(2)));  // nothing is left of it
  }
}

// The coordinates of a shared mask are added up where they belong.
TEST_P(EveryUplink, SharedMasksAreSpreadOut) {
  const auto vectors = vectors_of(1);
  const auto found =
      Gathered(GetParam(), {.compressor = "rand-k", .settings = "k = 2\nmask = \"shared\""})
          .sum(vectors);
  std::size_t sent = 0;
  for (std::size_t j = 0; j < d; ++j) {
    double expected = 0;
    for (const auto& vector : vectors) expected += 2.5 * static_cast<double>(vector[j]);
    sent += found[j] != 0 ? 1U : 0U;
    if (found[j] != 0) {
      EXPECT_NEAR(found[j], expected, 1e-6);
    }
  }
  EXPECT_EQ(sent, 2U);
}

INSTANTIATE_TEST_SUITE_P(Uplinks, EveryUplink, ::testing::ValuesIn(names(uplinks())));

}  // namespace trilemma::uplinks_test
