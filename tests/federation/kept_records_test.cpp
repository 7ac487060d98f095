// Records that are kept for the next run of a process (src/federation/partitioned_data.cpp).

#include <gtest/gtest.h>

#include "experiment/read_plan.hpp"
#include "federation/partitioned_data.hpp"
#include "tests/support/small_csv.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::kept_records_test {

using Words = std::vector<std::string>;

class KeptRecords : public ::testing::Test {
 protected:
  KeptRecords() { folder_.write("a.csv", "a,y\n0,0\n1,1\n2,2\n3,3\n"); }
  std::shared_ptr<const PartitionedData> records(const Words& words = {}) {
    return kept_records(read_plan(Settings::from_text(testing::csv_experiment, "e.toml", words)),
                        folder_.path());
  }
  testing::TempFolder folder_;
};

TEST_F(KeptRecords, AreThoseOfTheLastRunWhereNothingOfThemHasChanged) {
  const auto first = records();
  EXPECT_EQ(records({"seed=9", "rounds=3", "server.rate=0.5"}), first);
  EXPECT_EQ(first->data.train.target, (Vector{0, 1, 2, 3}));
}

TEST_F(KeptRecords, AreSpreadAgainForOtherSettings) {
  const auto first = records();
  for (const char* word :
       {"clients=4", "data.test_share=0.5", "partition.held_out=0.5", "data.scaling=standard"})
    EXPECT_NE(records({word}), first) << word;
  EXPECT_EQ(records({"clients=4"})->partition.client.size(), 4U);
}

TEST_F(KeptRecords, AreReadAgainFromAnotherFile) {
  records();
  folder_.write("a.csv", "a,y\n5,5\n6,6\n7,7\n8,8\n9,9\n");
  EXPECT_EQ(records()->data.train.target, (Vector{5, 6, 7, 8, 9}));
}

}  // namespace trilemma::kept_records_test
