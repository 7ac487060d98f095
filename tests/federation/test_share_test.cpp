// A share of the records that is drawn for tests (data.test_share;
// src/federation/partitioned_data.cpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiment/read_plan.hpp"
#include "federation/partitioned_data.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_csv.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::test_share_test {

using testing::expect_parts;
using Words = std::vector<std::string>;

class TestShare : public ::testing::Test {
 protected:
  // Record i has feature and target i.
  TestShare() {
    std::string text = "a,y\n";
    for (int i = 0; i < 10; ++i) text += fmt::format("{},{}\n", i, i);
    folder_.write("a.csv", text);
  }
  PartitionedData spread(const Words& words = {}) {
    Words all{"data.test_share=0.3"};
    all.insert(all.end(), words.begin(), words.end());
    return partition_records(read_plan(Settings::from_text(testing::csv_experiment, "e.toml", all)),
                             folder_.path());
  }
  std::string refused(const Words& words) {
    return testing::refusal([&] { spread(words); });
  }
  testing::TempFolder folder_;
};

TEST_F(TestShare, SplitsTheRecordsInTheirOrder) {
  const TrainTest data = spread().data;
  EXPECT_EQ(data.train.size(), 7U);
  EXPECT_EQ(data.test.size(), 3U);
  EXPECT_TRUE(std::is_sorted(data.train.target.begin(), data.train.target.end()));
  EXPECT_TRUE(std::is_sorted(data.test.target.begin(), data.test.target.end()));
  std::set<real> all(data.train.target.begin(), data.train.target.end());
  all.insert(data.test.target.begin(), data.test.target.end());
  EXPECT_EQ(all.size(), 10U);
  EXPECT_EQ(std::get<DenseRows>(data.test.rows).value, data.test.target);
}

TEST_F(TestShare, IsDrawnByTheSeedOfTheDataAlone) {
  const Vector first = spread().data.test.target;
  EXPECT_EQ(spread({"seed=7", "clients=3", "partition.kind=contiguous"}).data.test.target, first);
  EXPECT_NE(spread({"data.seed=2"}).data.test.target, first);
  // 0.29 of 10 is 2.9: the nearest number.
  EXPECT_EQ(spread({"data.test_share=0.29"}).data.test.target, first);
  EXPECT_EQ(spread({"data.test_share=0"}).data.train.size(), 10U);
}

TEST_F(TestShare, IsTakenBeforeScaling) {
  const TrainTest data = spread({"data.scaling=standard"}).data;
  double sum = 0;
  for (const double target : data.train.target) sum += target;
  EXPECT_NEAR(sum, 0, 1e-5);
  sum = 0;
  for (const double target : data.test.target) sum += target;
  EXPECT_GT(std::abs(sum), 1e-3);
}

// Spectral scaling too, which looks at whole files.
TEST_F(TestShare, DoesNotDecideAboutTheScale) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += fmt::format("{} {}:2\n", i % 2, 1 + i % 2);
  folder_.write("a.svm", text);
  const Words keys{"data.source=libsvm", "data.train=a.svm", "data.features=2",
                   "data.scaling=spectral"};
  const auto run = [&] {
    std::string toml = "method = \"fedavg\"\nclients = 2\n";
    Words words = keys;
    words.emplace_back("data.bias=false");
    words.emplace_back("data.test_share=0.3");
    return partition_records(read_plan(Settings::from_text(toml, "e.toml", words)), folder_.path());
  };
  const Dataset train = run().data.train;
  std::size_t ones = 0;
  for (const auto label : train.label) ones += label == 1 ? 1 : 0;
  const double most = static_cast<double>(std::max(ones, 7 - ones));
  // Two orthogonal directions: the norm is 2 sqrt(most), the divisor that / (2 sqrt 7).
  EXPECT_NEAR(std::get<SparseRows>(train.rows).groups.value, 2 * std::sqrt(7 / most), 1e-5);
}

TEST_F(TestShare, IsRefusedWhereThereAreTests) {
  expect_parts(refused({"data.test=a.csv"}), {"data.test_share = 0.3", "test records already"});
  expect_parts(refused({"data.user=a"}), {"data.test_share = 0.3", "partition.held_out"});
  expect_parts(refused({"partition.held_out=0.2"}), {"partition.held_out", "one of the two"});
  expect_parts(refused({"data.test_share=0.01"}), {"0 of 10 records for tests"});
  expect_parts(refused({"data.test_share=0.99"}), {"10 of 10 records for tests"});
  expect_parts(refused({"data.test_share=1"}), {"data.test_share", "[0, 1)"});
  const Words generated{"data.test_share=0.1"};
  expect_parts(testing::refusal([&] {
                 read_plan(Settings::from_text("method = \"fedavg\"\n", "e.toml", generated));
               }),
               {"test records already"});
}

TEST_F(TestShare, LeavesFewerRecordsToTheClients) {
  const Words keys{"data.source=libsvm", "data.train=a.svm",    "data.features=2",
                   "data.rows=10",       "data.test_share=0.3", "clients=8"};
  expect_parts(testing::refusal([&] {
                 read_plan(Settings::from_text("method = \"fedavg\"\n", "e.toml", keys));
               }),
               {"clients = 8", "7 records"});
}

}  // namespace trilemma::test_share_test
