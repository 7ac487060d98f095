// What a batch keeps of its rows (Batch::gather, src/problem/problem.hpp).

#include <gtest/gtest.h>

#include "tests/support/tiny_data.hpp"

namespace trilemma::batch_test {

// A batch that is used for one shard after the other, and for draws in the same memory, holds the
// rows it was asked for.
TEST(Batch, GathersWhatItDoesNotHold) {
  const Dataset one = testing::dense_records(6, 2, 3, 1);
  const Dataset other = testing::dense_records(6, 2, 3, 2);
  Batch batch;
  std::vector<std::uint32_t> rows;
  const auto expect_rows = [&](const Dataset& shard) {
    batch.gather(shard, rows);
    ASSERT_EQ(batch.shard, &shard);
    ASSERT_EQ(batch.rows.size(), rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_EQ(batch.dense[2 * r + j], std::get<DenseRows>(shard.rows).value[2 * rows[r] + j]);
  };
  rows = {0, 3, 5};
  expect_rows(one);
  expect_rows(one);
  expect_rows(other);
  rows[1] = 4;
  expect_rows(other);
  rows.pop_back();
  expect_rows(other);
  rows = {0, 4, 5, 5, 1};
  expect_rows(other);
  rows.clear();
  expect_rows(one);
}

TEST(Batch, DoesNotGatherWhatItHolds) {
  Dataset data = testing::dense_records(6, 2, 3, 1);
  const std::vector<std::uint32_t> rows{0, 3, 5};
  Batch batch;
  batch.gather(data, rows);
  const real kept = batch.dense[0];
  std::get<DenseRows>(data.rows).value[0] = 77;  // not allowed; shows what was read
  const auto again = rows;
  batch.gather(data, again);
  EXPECT_EQ(batch.dense[0], kept);
  EXPECT_EQ(batch.rows.data(), again.data());
}

}  // namespace trilemma::batch_test
