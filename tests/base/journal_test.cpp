// The journal (src/base/journal.hpp): values by hand, ranks in any order, restarts.

#include "base/journal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/journal_row.hpp"

namespace trilemma::journal_test {

using Kind = Metric::Kind;

// A rank's journal with a metric of each kind.
struct Rank {
  Journal journal;
  Journal::Id gauge = declare("gauge", Kind::gauge), mean = declare("mean", Kind::mean),
              least = declare("least", Kind::least), most = declare("most", Kind::most),
              count = declare("count", Kind::count), sum = declare("sum", Kind::sum);

  Journal::Id declare(const char* name, Kind kind) {
    return journal.declare({.name = name,
                            .units = "1",
                            .description = "",
                            .made_of = Provenance::released,
                            .kind = kind});
  }
};

std::vector<std::vector<Cell>> rows_of(Journal& journal, std::initializer_list<Journal*> ranks) {
  for (Journal* rank : ranks) journal.merge(rank->part());
  std::vector<std::vector<Cell>> rows;
  journal.take([&](const JournalRow& row) {
    EXPECT_EQ(row.round, static_cast<std::int64_t>(rows.size()));
    rows.emplace_back(row.cells.begin(), row.cells.end());
  });
  return rows;
}

TEST(Journal, RowsByHand) {
  Rank zero;
  Rank one;
  zero.journal.set(zero.gauge, 7);
  zero.journal.see(zero.mean, 1);
  one.journal.see(one.mean, 2);
  one.journal.see(one.mean, 6);
  one.journal.see(one.least, 4);
  zero.journal.see(zero.least, 5);
  one.journal.see(one.most, 4);
  zero.journal.see(zero.most, 5);
  zero.journal.add(zero.count, 10);
  one.journal.add(one.count, 99);  // rank 0's alone counts
  zero.journal.add(zero.sum, 3);
  one.journal.add(one.sum, 4);
  for (Rank* rank : {&zero, &one}) rank->journal.end_row(0);
  one.journal.add(one.sum, 1);
  for (Rank* rank : {&zero, &one}) rank->journal.end_row(1);
  const auto rows = rows_of(zero.journal, {&one.journal, &zero.journal});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][zero.gauge].number, 7);
  EXPECT_EQ(rows[0][zero.mean].number, 3);
  EXPECT_EQ(rows[0][zero.least].number, 4);
  EXPECT_EQ(rows[0][zero.most].number, 5);
  EXPECT_EQ(rows[0][zero.count].count, 10U);
  EXPECT_EQ(rows[0][zero.sum].count, 7U);
  // What nobody has set is NaN, counts go on.
  for (const auto id : {zero.gauge, zero.mean, zero.least, zero.most})
    EXPECT_TRUE(std::isnan(rows[1][id].number)) << id;
  EXPECT_EQ(rows[1][zero.count].count, 10U);
  EXPECT_EQ(rows[1][zero.sum].count, 8U);
  EXPECT_EQ(zero.journal.rows(), 0U);
}

// 0.1 + 0.2 + 0.3 in doubles depends on the order; units of 2^-32 do not.
TEST(Journal, MeansAreTheSameForAnySpreadOverRanks) {
  const double numbers[] = {0.1, 0.2, 0.3, 1000.7, 1e-9};
  std::vector<double> found;
  for (const std::size_t first : {0U, 1U, 2U, 3U, 4U, 5U}) {
    Rank zero;
    Rank one;
    for (std::size_t i = 0; i < 5; ++i)
      i < first ? zero.journal.see(zero.mean, numbers[i]) : one.journal.see(one.mean, numbers[i]);
    for (Rank* rank : {&zero, &one}) rank->journal.end_row(0);
    found.push_back(rows_of(zero.journal, {&zero.journal, &one.journal})[0][zero.mean].number);
  }
  for (const double value : found) EXPECT_EQ(value, found.front());
  EXPECT_NEAR(found.front(), 1001.3 / 5, 1e-9);
}

TEST(Journal, AMeanOfWhatIsNoNumberIsLarge) {
  Rank rank;
  rank.journal.see(rank.mean, std::nan(""));
  EXPECT_EQ(testing::end_row(rank.journal).number("mean"), Journal::most_mean);
}

TEST(Journal, CountsGoOnAfterARestart) {
  Rank before;
  before.journal.add(before.count, 5);
  before.journal.add(before.sum, 6);
  testing::end_row(before.journal);
  Bytes bytes;
  State saved = State::saving(bytes);
  before.journal.persist(saved);
  Rank after;
  State restored = State::restoring(bytes);
  after.journal.persist(restored);
  restored.finish();
  after.journal.add(after.sum, 1);
  const auto row = testing::end_row(after.journal);
  EXPECT_EQ(row.count("count"), 5U);
  EXPECT_EQ(row.count("sum"), 7U);
}

TEST(Journal, NamesAreKnownAndDifferent) {
  Rank rank;
  EXPECT_EQ(rank.journal.find("most"), rank.most);
  EXPECT_THROW(rank.journal.find("nobody"), LibraryError);
  EXPECT_THROW(rank.declare("mean", Kind::gauge), LibraryError);
}

}  // namespace trilemma::journal_test
