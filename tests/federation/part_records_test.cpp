// What a rank of several reads: rows of its own records only, the same as in a single process
// (src/federation/partitioned_data.cpp, data/idx.cpp, data/synthetic_source.cpp).

#include <gtest/gtest.h>

#include <numeric>

#include "experiment/read_plan.hpp"
#include "federation/evaluator.hpp"
#include "federation/partitioned_data.hpp"
#include "tests/support/idx_files.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::part_records_test {

using testing::idx_bytes;
using Raw = std::vector<std::uint8_t>;

constexpr const char* sparse = R"(
rounds = 1
clients = 7
method = "fedavg"
[data]
rows = 60
test_rows = 11
features = 9
nonzeros = 3
scaling = "none"
[partition]
kind = "shuffled"
)";

constexpr const char* images = R"(
rounds = 1
clients = 5
method = "fedavg"
[problem]
kind = "softmax"
[data]
source = "idx"
images = "images"
labels = "labels"
test_images = "images"
test_labels = "labels"
features = 6
classes = 3
rows = 31
[partition]
kind = "shuffled"
)";

class PartRecords : public ::testing::Test {
 protected:
  PartRecords() {
    Raw pixels(40 * 6);
    std::iota(pixels.begin(), pixels.end(), std::uint8_t{3});
    Raw labels(40);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint8_t>(i % 3);
    folder_.write("images", idx_bytes({0x803, 40, 2, 3}, pixels));
    folder_.write("labels", idx_bytes({0x801, 40}, labels));
  }
  static Plan plan(const char* text, const std::vector<std::string>& words) {
    return read_plan(Settings::from_text(text, "e.toml", words));
  }
  testing::TempFolder folder_;
};

using Entry = std::pair<std::uint32_t, real>;

std::vector<std::vector<Entry>> entries(const SparseRows& rows) {
  std::vector<std::vector<Entry>> found(rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r)
    rows.each(r, [&](std::uint32_t column, real value) { found[r].emplace_back(column, value); });
  return found;
}

void expect_equal(const Dataset& part, const Dataset& whole) {
  EXPECT_EQ(part.label, whole.label);
  ASSERT_EQ(part.rows.index(), whole.rows.index());
  if (const auto* rows = std::get_if<SparseRows>(&part.rows); rows != nullptr) {
    const auto& wanted = std::get<SparseRows>(whole.rows);
    EXPECT_EQ(rows->columns, wanted.columns);
    EXPECT_EQ(entries(*rows), entries(wanted));
    return;
  }
  const auto& rows = std::get<DenseRows>(part.rows);
  const auto& wanted = std::get<DenseRows>(whole.rows);
  EXPECT_EQ(rows.byte, wanted.byte);
  EXPECT_EQ(rows.scale, wanted.scale);
  EXPECT_EQ(rows.shift, wanted.shift);
}

std::size_t rows_of(const Dataset& data) {
  return std::visit([](const auto& rows) { return rows.rows(); }, data.rows);
}

// Every rank of `size`: its shards and its test records; gives the rows of all ranks.
std::size_t expect_parts(const Plan& plan, const std::string& folder, int size) {
  const PartitionedData whole = partition_records(plan, folder);
  std::size_t rows = 0;
  for (int rank = 0; rank < size; ++rank) {
    Placement place{rank, size, static_cast<int>(plan.clients), plan.server_hosts};
    const PartitionedData part = partition_records(plan, folder, place);
    EXPECT_EQ(part.partition.client, whole.partition.client);
    EXPECT_EQ(part.test, whole.test);
    EXPECT_EQ(part.data.scaling, whole.data.scaling);
    rows += rows_of(part.data.train) + rows_of(part.data.test);
    for (int i = 0; i < place.count(rank); ++i) {
      const auto client = static_cast<std::size_t>(place.first(rank) + i);
      const auto& records = whole.partition.client[client];
      expect_equal(part.data.train.select(records), whole.data.train.select(records));
      if (whole.test_is_held_out)
        expect_equal(part.data.train.select(whole.test[client]),
                     whole.data.train.select(whole.test[client]));
    }
    if (!whole.test.empty() || rank < place.first_host()) continue;
    const auto tests =
        test_rows(whole.data.test.size(), static_cast<std::size_t>(rank - place.first_host()),
                  static_cast<std::size_t>(place.hosts()));
    expect_equal(part.data.test.select(tests), whole.data.test.select(tests));
  }
  return rows;
}

TEST_F(PartRecords, OfSparseRowsAreTheSameAndEachOnOneRankOnly) {
  for (const int size : {2, 3, 4})
    EXPECT_EQ(expect_parts(plan(sparse, {}), folder_.path(), size), 60U + 11U) << size;
}

TEST_F(PartRecords, OfImagesAreTheSameAndEachOnOneRankOnly) {
  for (const char* scaling : {"data.scaling=standard", "data.scaling=none"})
    EXPECT_EQ(expect_parts(plan(images, {scaling}), folder_.path(), 3), 31U + 40U) << scaling;
}

TEST_F(PartRecords, IncludeThoseThatClientsKeepForTests) {
  // No client has the common test records then.
  EXPECT_EQ(expect_parts(plan(sparse, {"partition.held_out=0.3"}), folder_.path(), 3), 60U);
  EXPECT_EQ(expect_parts(plan(images, {"partition.held_out=0.3"}), folder_.path(), 2), 31U);
}

TEST_F(PartRecords, AreAllWhereAllAreLookedAt) {
  EXPECT_EQ(expect_parts(plan(sparse, {"data.scaling=spectral"}), folder_.path(), 2), 2U * 71U);
  EXPECT_EQ(
      expect_parts(plan(images, {"data.test_images=", "data.test_share=0.25"}), folder_.path(), 2),
      2U * 31U);
}

TEST_F(PartRecords, AreThoseOfHostsThatAreChosenByRecords) {
  const Plan by_records = plan(sparse, {"hosting=records", "partition.kind=contiguous"});
  EXPECT_EQ(expect_parts(by_records, folder_.path(), 3), 71U);
  Placement place{1, 3, 7, false};
  partition_records(by_records, folder_.path(), place);
  EXPECT_EQ(place.blocks.size(), 3U);
}

}  // namespace trilemma::part_records_test
