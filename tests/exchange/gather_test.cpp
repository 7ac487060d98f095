// The uplink that gathers (src/exchange/gather.cpp): sums and what is counted.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "comm/exchange.hpp"
#include "compress/outbox.hpp"
#include "exchange/uplink.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/journal_row.hpp"

namespace trilemma::gather_test {

constexpr std::size_t d = 5;

struct Gathered {
  Gathered()
      : exchange(make_in_process_exchange()),
        uplink(row(uplinks(), "gather")
                   .make({.exchange = *exchange,
                          .journal = journal,
                          .compressor =
                              testing::make_compressor("identity", d, "", ValueFormat::float64),
                          .dimension = d})) {}

  // The sum of these vectors, the first of client 0.
  std::vector<double> sum(const std::vector<Vector>& vectors) {
    const auto compressor = testing::make_compressor("identity", d, "", ValueFormat::float64);
    const Layout layout = compressor->layout();
    Bytes bytes(vectors.size() * layout.bytes());
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      Message message;
      compressor->compress(vectors[i], {}, message);
      encode(layout, message, std::span(bytes).subspan(i * layout.bytes(), layout.bytes()));
    }
    std::vector<std::uint32_t> clients(vectors.size());
    std::iota(clients.begin(), clients.end(), 0U);
    const auto found = uplink->sum(0, clients, Packets::equal(bytes, layout.bytes()), timer);
    return {found.begin(), found.end()};
  }

  Journal journal;
  std::unique_ptr<Exchange> exchange;
  std::unique_ptr<Uplink> uplink;
  PhaseTimer timer{false};
};

std::vector<Vector> vectors_of(double scale) {
  std::vector<Vector> all;
  for (std::size_t i = 0; i < 7; ++i) {
    all.emplace_back();
    for (std::size_t j = 0; j < d; ++j)
      all.back().push_back(
          static_cast<real>(scale * std::sin(1.0 + static_cast<double>(i * d + j))));
  }
  return all;
}

TEST(Gather, SumsAreThoseOfTheVectors) {
  const auto vectors = vectors_of(1);
  const auto found = Gathered().sum(vectors);
  for (std::size_t j = 0; j < d; ++j) {
    double expected = 0;
    for (const auto& vector : vectors) expected += static_cast<double>(vector[j]);
    EXPECT_NEAR(found[j], expected, 1e-12);
  }
}

// The first guess of the size of the values is that of the round before.
TEST(Gather, WhatCameBeforeLeavesNoTrace) {
  for (const double scale : {1e-6, 0.3, 1.0, 1.9, 1e7}) {
    const auto expected = Gathered().sum(vectors_of(scale));
    Gathered other;
    for (const double before : {1.0, 1e9, 0.0, 1e-9, 3.0, scale}) {
      other.sum(vectors_of(before));
      EXPECT_EQ(other.sum(vectors_of(scale)), expected) << scale << " after " << before;
    }
  }
}

TEST(Gather, TheOrderOfMessagesIsNobodysBusiness) {
  auto vectors = vectors_of(1);
  const auto expected = Gathered().sum(vectors);
  std::reverse(vectors.begin(), vectors.end());
  EXPECT_EQ(Gathered().sum(vectors), expected);
}

TEST(Gather, CountsBitsAndMessages) {
  Gathered gathered;
  gathered.sum(vectors_of(1));
  gathered.sum({});
  const auto row = testing::end_row(gathered.journal);
  EXPECT_EQ(row.count("messages"), 7U);
  EXPECT_EQ(row.count("bits_up_payload"), 7 * d * 64);
  EXPECT_EQ(row.count("bits_up_model"), 7 * d * 32);
}

}  // namespace trilemma::gather_test
