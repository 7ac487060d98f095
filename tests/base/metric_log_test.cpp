// The metric log (src/base/metric_log.hpp): values by hand, ranks in any order, restarts.

#include "base/metric_log.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/metric_row.hpp"

namespace trilemma::metric_log_test {

using Kind = Metric::Kind;

// A rank's metric log with a metric of each kind.
struct Rank {
  MetricLog metric_log;
  MetricLog::Id gauge = declare("gauge", Kind::gauge), mean = declare("mean", Kind::mean),
                median = declare("median", Kind::median), least = declare("least", Kind::least),
                most = declare("most", Kind::most), count = declare("count", Kind::count),
                sum = declare("sum", Kind::sum);

  MetricLog::Id declare(const char* name, Kind kind) {
    return metric_log.declare({.name = name,
                               .units = "1",
                               .description = "",
                               .provenance = Provenance::released,
                               .kind = kind});
  }
};

std::vector<std::vector<Cell>> rows_of(MetricLog& metric_log,
                                       std::initializer_list<MetricLog*> ranks) {
  for (MetricLog* rank : ranks) metric_log.merge(rank->part());
  std::vector<std::vector<Cell>> rows;
  metric_log.take([&](const MetricRow& row) {
    EXPECT_EQ(row.round, static_cast<std::int64_t>(rows.size()));
    rows.emplace_back(row.cells.begin(), row.cells.end());
  });
  return rows;
}

TEST(MetricLog, RowsByHand) {
  Rank zero;
  Rank one;
  zero.metric_log.set(zero.gauge, 7);
  zero.metric_log.observe(zero.mean, 1);
  one.metric_log.observe(one.mean, 2);
  one.metric_log.observe(one.mean, 6);
  one.metric_log.observe(one.least, 4);
  zero.metric_log.observe(zero.least, 5);
  one.metric_log.observe(one.most, 4);
  zero.metric_log.observe(zero.most, 5);
  zero.metric_log.add(zero.count, 10);
  one.metric_log.add(one.count, 99);  // rank 0's alone counts
  zero.metric_log.add(zero.sum, 3);
  one.metric_log.add(one.sum, 4);
  for (Rank* rank : {&zero, &one}) rank->metric_log.end_row(0);
  one.metric_log.add(one.sum, 1);
  for (Rank* rank : {&zero, &one}) rank->metric_log.end_row(1);
  const auto rows = rows_of(zero.metric_log, {&one.metric_log, &zero.metric_log});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][zero.gauge].number, 7);
  EXPECT_EQ(rows[0][zero.mean].number, 3);
  EXPECT_EQ(rows[0][zero.least].number, 4);
  EXPECT_EQ(rows[0][zero.most].number, 5);
  EXPECT_EQ(rows[0][zero.count].count, 10U);
  EXPECT_EQ(rows[0][zero.sum].count, 7U);
  // A gauge that was not set is NaN, counts go on.
  for (const auto id : {zero.gauge, zero.mean, zero.least, zero.most})
    EXPECT_TRUE(std::isnan(rows[1][id].number)) << id;
  EXPECT_EQ(rows[1][zero.count].count, 10U);
  EXPECT_EQ(rows[1][zero.sum].count, 8U);
  EXPECT_EQ(zero.metric_log.rows(), 0U);
}

// 0.1 + 0.2 + 0.3 in doubles depends on the order; units of 2^-32 do not.
TEST(MetricLog, MeansAreTheSameForAnySpreadOverRanks) {
  const double numbers[] = {0.1, 0.2, 0.3, 1000.7, 1e-9};
  std::vector<double> found;
  for (const std::size_t first : {0U, 1U, 2U, 3U, 4U, 5U}) {
    Rank zero;
    Rank one;
    for (std::size_t i = 0; i < 5; ++i)
      i < first ? zero.metric_log.observe(zero.mean, numbers[i])
                : one.metric_log.observe(one.mean, numbers[i]);
    for (Rank* rank : {&zero, &one}) rank->metric_log.end_row(0);
    found.push_back(
        rows_of(zero.metric_log, {&zero.metric_log, &one.metric_log})[0][zero.mean].number);
  }
  for (const double value : found) EXPECT_EQ(value, found.front());
  EXPECT_NEAR(found.front(), 1001.3 / 5, 1e-9);
}

TEST(MetricLog, MediansAndSharesAreThoseOfAllRanks) {
  Rank zero;
  Rank one;
  RatioHistogram ratios;
  for (const double ratio : {0.5, 3.0, 3.0}) ratios.add(ratio);
  zero.metric_log.observe(zero.median, ratios);
  one.metric_log.observe(one.median, 0.25);
  one.metric_log.observe(one.median, 0.25);
  zero.metric_log.observe_share(zero.mean, 3, 0);
  one.metric_log.observe_share(one.mean, 0, 1);
  for (Rank* rank : {&zero, &one}) {
    rank->metric_log.end_row(0);
    rank->metric_log.end_row(1);
  }
  const auto rows = rows_of(zero.metric_log, {&one.metric_log, &zero.metric_log});
  EXPECT_EQ(rows[0][zero.median].number, 0.625);  // of 0.25, 0.25, 0.5, 3, 3
  EXPECT_EQ(rows[0][zero.mean].number, 0.75);
  EXPECT_TRUE(std::isnan(rows[1][zero.median].number));
}

TEST(MetricLog, AMeanOfWhatIsNoNumberIsLarge) {
  Rank rank;
  rank.metric_log.observe(rank.mean, std::nan(""));
  EXPECT_EQ(testing::end_row(rank.metric_log).number("mean"), MetricLog::most_mean);
}

TEST(MetricLog, RowsOfAFailedRoundAreDropped) {
  Rank rank;
  for (std::int64_t round = 0; round < 4; ++round) {
    rank.metric_log.set(rank.gauge, static_cast<double>(round));
    rank.metric_log.add(rank.sum, 1);
    rank.metric_log.end_row(round);
  }
  rank.metric_log.keep_until(1);
  const auto rows = rows_of(rank.metric_log, {&rank.metric_log});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1][rank.gauge].number, 1);
  EXPECT_EQ(rows[1][rank.sum].count, 2U);
}

TEST(MetricLog, CountsGoOnAfterARestart) {
  Rank before;
  before.metric_log.add(before.count, 5);
  before.metric_log.add(before.sum, 6);
  testing::end_row(before.metric_log);
  Bytes bytes;
  State saved = State::saving(bytes);
  before.metric_log.persist(saved);
  Rank after;
  State restored = State::restoring(bytes);
  after.metric_log.persist(restored);
  restored.finish();
  after.metric_log.add(after.sum, 1);
  const auto row = testing::end_row(after.metric_log);
  EXPECT_EQ(row.count("count"), 5U);
  EXPECT_EQ(row.count("sum"), 7U);
}

TEST(MetricLog, NamesAreKnownAndDifferent) {
  Rank rank;
  EXPECT_EQ(rank.metric_log.find("most"), rank.most);
  EXPECT_THROW(rank.metric_log.find("nobody"), LibraryError);
  EXPECT_THROW(rank.declare("mean", Kind::gauge), LibraryError);
}

}  // namespace trilemma::metric_log_test
