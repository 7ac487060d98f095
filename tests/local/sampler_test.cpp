// Minibatch sampling (src/local/sampler.cpp; spec algorithms.md 1.2).

#include "local/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::sampler_test {

std::unique_ptr<Sampler> make(const std::string& name) {
  for (const auto& row : samplers())
    if (name == row.name) return row.make();
  throw std::logic_error("no sampler " + name);
}

std::vector<std::uint32_t> draw(Sampler& sampler, std::uint32_t round, std::size_t records,
                                std::size_t batch) {
  std::vector<std::uint32_t> rows{99};  // old content must go
  sampler.draw({3, Purpose::minibatch, 1, round}, records, batch, rows);
  return rows;
}

TEST(Sampler, EveryDrawIsAFunctionOfItsKeyAndInRange) {
  for (const auto& row : samplers()) {
    const auto sampler = row.make();
    EXPECT_STREQ(sampler->name(), row.name);
    std::size_t different = 0;
    for (std::uint32_t round = 0; round < 200; ++round) {
      const auto rows = draw(*sampler, round, 50, 10);
      EXPECT_EQ(rows, draw(*sampler, round, 50, 10));
      different += rows != draw(*sampler, round + 1, 50, 10) ? 1U : 0U;
      for (const auto r : rows) ASSERT_LT(r, 50U);
      if (!sampler->repeats()) {
        ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
        ASSERT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
      }
    }
    EXPECT_GE(different, 199U) << row.name;
  }
}

TEST(Sampler, SizesOfFixedDraws) {
  for (const char* name : {"without-replacement", "with-replacement"}) {
    const auto sampler = make(name);
    for (const std::size_t batch : {1U, 2U, 25U, 49U, 50U})
      for (std::uint32_t round = 0; round < 20; ++round)
        ASSERT_EQ(draw(*sampler, round, 50, batch).size(), batch) << name;
  }
}

// spec 1.2: rate 1 gives exactly the full gradient.
TEST(Sampler, RateOneSelectsAllInOrder) {
  for (const char* name : {"poisson", "without-replacement", "shuffled"})
    for (const std::size_t records : {1U, 2U, 63U, 64U, 65U, 1000U})
      for (std::uint32_t round = 0; round < 20; ++round)
        ASSERT_EQ(draw(*make(name), round, records, records), testing::all_rows(records)) << name;
}

// The minibatches of an epoch split the records.
TEST(Sampler, ShuffledDrawsOfAnEpochSplitTheRecords) {
  const auto sampler = make("shuffled");
  for (const std::size_t batch : {1U, 3U, 4U, 10U}) {
    const std::size_t batches = (10 + batch - 1) / batch;
    std::set<std::vector<std::uint32_t>> firsts;
    for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
      std::vector<std::uint32_t> seen;
      for (std::uint32_t place = 0; place < batches; ++place) {
        const auto rows =
            draw(*sampler, epoch * static_cast<std::uint32_t>(batches) + place, 10, batch);
        EXPECT_EQ(rows.size(), place + 1 < batches ? batch : 10 - place * batch);
        EXPECT_EQ(sampler->divisor(batch, rows.size()), rows.size());
        seen.insert(seen.end(), rows.begin(), rows.end());
        if (place == 0) firsts.insert(rows);
      }
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen, testing::all_rows(10)) << batch;
    }
    EXPECT_GE(firsts.size(), batch < 10 ? 5U : 1U) << batch;
  }
}

// A draw does not depend on the draws before it: of other clients, seeds, sizes or epochs.
TEST(Sampler, ShuffledDrawsAreFunctionsOfTheirKeys) {
  const auto used = make("shuffled");
  for (const std::uint32_t round : {7U, 0U, 8U, 1U, 6U})
    for (const std::size_t records : {10U, 11U}) {
      std::vector<std::uint32_t> other;
      used->draw({3, Purpose::minibatch, 2, round}, records, 4, other);
      used->draw({4, Purpose::minibatch, 1, round}, records, 4, other);
      EXPECT_EQ(draw(*used, round, records, 4), draw(*make("shuffled"), round, records, 4));
    }
}

// Inclusion counts over N draws are Binomial(N, b/m), and pairs (i, j) come together with
// probability q^2: five standard deviations each; 12 + 66 counts, so a right sampler fails with
// probability 5e-5.
TEST(Sampler, PoissonIncludesIndependentlyWithItsRate) {
  const auto sampler = make("poisson");
  constexpr std::size_t records = 12;
  constexpr int draws = 60'000;
  for (const std::size_t batch : {1U, 4U, 11U}) {
    const double q = static_cast<double>(batch) / records;
    int single[records] = {};
    int pair[records][records] = {};
    for (std::uint32_t round = 0; round < draws; ++round) {
      const auto rows = draw(*sampler, round, records, batch);
      for (const auto i : rows) {
        ++single[i];
        for (const auto j : rows) ++pair[i][j];
      }
    }
    auto near = [&](int count, double p) {
      EXPECT_NEAR(count, draws * p, 5 * std::sqrt(draws * p * (1 - p)));
    };
    for (std::size_t i = 0; i < records; ++i) {
      near(single[i], q);
      for (std::size_t j = i + 1; j < records; ++j) near(pair[i][j], q * q);
    }
  }
}

// The exact law: all 2^5 subsets of 5 records with q = 2/5 by chi-square, 31 degrees of freedom,
// above 80 with probability 4e-6.
TEST(Sampler, PoissonHasTheExactLawOfSubsets) {
  const auto sampler = make("poisson");
  constexpr int draws = 100'000;
  std::vector<int> count(32);
  for (std::uint32_t round = 0; round < draws; ++round) {
    unsigned set = 0;
    for (const auto r : draw(*sampler, round, 5, 2)) set |= 1U << r;
    ++count[set];
  }
  double chi = 0;
  for (unsigned set = 0; set < 32; ++set) {
    const int size = std::popcount(set);
    const double expected = draws * std::pow(0.4, size) * std::pow(0.6, 5 - size);
    chi += std::pow(count[set] - expected, 2) / expected;
  }
  EXPECT_LT(chi, 80.0);
}

// Large shards and small rates, where draws need several blocks of words: the number drawn has mean
// b and variance b (1 - q), and every eighth of the shard gets its share.
TEST(Sampler, PoissonOnLargeShards) {
  const auto sampler = make("poisson");
  constexpr std::size_t records = 32'000;
  constexpr std::size_t batch = 500;
  testing::Sample size;
  std::vector<int> eighth(8);
  for (std::uint32_t round = 0; round < 2000; ++round) {
    const auto rows = draw(*sampler, round, records, batch);
    size.add(static_cast<double>(rows.size()));
    for (const auto r : rows) ++eighth[r / 4000];
  }
  testing::expect_mean(size, batch);
  const double variance = batch * (1 - static_cast<double>(batch) / records);
  EXPECT_NEAR(size.variance() / variance, 1.0, 5 * std::sqrt(2.0 / 2000));
  for (const int count : eighth) EXPECT_NEAR(count, 125'000, 5 * std::sqrt(125'000.0));
}

// All 15 pairs of 6 records: chi-square with 14 degrees of freedom, above 50 with probability 6e-6.
TEST(Sampler, WithoutReplacementIsUniformOverSubsets) {
  const auto sampler = make("without-replacement");
  std::map<std::vector<std::uint32_t>, int> count;
  for (std::uint32_t round = 0; round < 45'000; ++round) ++count[draw(*sampler, round, 6, 2)];
  ASSERT_EQ(count.size(), 15U);
  double chi = 0;
  for (const auto& [pair, c] : count) chi += (c - 3000.0) * (c - 3000.0) / 3000.0;
  EXPECT_LT(chi, 50.0);
}

// The same of one minibatch of each epoch, of three.
TEST(Sampler, ShuffledIsUniformOverSubsets) {
  const auto sampler = make("shuffled");
  for (const std::uint32_t place : {0U, 2U}) {
    std::map<std::vector<std::uint32_t>, int> count;
    for (std::uint32_t epoch = 0; epoch < 45'000; ++epoch)
      ++count[draw(*sampler, 3 * epoch + place, 6, 2)];
    ASSERT_EQ(count.size(), 15U);
    double chi = 0;
    for (const auto& [pair, c] : count) chi += (c - 3000.0) * (c - 3000.0) / 3000.0;
    EXPECT_LT(chi, 50.0);
  }
}

// All 36 ordered pairs: chi-square with 35 degrees of freedom, above 86 with probability 4e-6.
TEST(Sampler, WithReplacementDrawsIndependently) {
  const auto sampler = make("with-replacement");
  std::map<std::vector<std::uint32_t>, int> count;
  for (std::uint32_t round = 0; round < 72'000; ++round) ++count[draw(*sampler, round, 6, 2)];
  ASSERT_EQ(count.size(), 36U);
  double chi = 0;
  for (const auto& [pair, c] : count) chi += (c - 2000.0) * (c - 2000.0) / 2000.0;
  EXPECT_LT(chi, 86.0);
}

}  // namespace trilemma::sampler_test
