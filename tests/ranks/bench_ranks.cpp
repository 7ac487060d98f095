// The benchmark on several ranks: an error on one of them ends it on all (src/bench/measure.hpp).

#include <gtest/gtest.h>

#include "bench/measure.hpp"
#include "tests/ranks/world.hpp"

namespace trilemma::bench_ranks {

constexpr const char* settings = R"(
method = "soteriafl-sgd"
data.features = 12
data.classes = 2
problem.kind = "softmax"
local.batch = 4
compressor.kind = "rand-k"
compressor.k = 3
server.rate = 0.1
privacy.sigma = 0
)";

class BenchRanksTest : public ::testing::Test {
 protected:
  BenchRanksTest() { kernel_.sizes.fill({4, 60, 0, 20}); }
  int code(const Plan& plan, BenchResult& result) {
    const Communicator communicator =
        testing::world().size > 1 ? Communicator::world() : Communicator();
    Ranks ranks(testing::world(), communicator);
    BenchRanks on{ranks, communicator, testing::world(),
                  std::vector<std::int64_t>(static_cast<std::size_t>(testing::world().size))};
    return measure(of_, plan, on, 2, result);
  }

  Kernel kernel_{"tiny", 'T', "a test", false, "gather", 16, settings, 1, 1, 1, {}};
  const BenchCase of_{.kernel = &kernel_, .ranks = testing::world().size};
};

TEST_F(BenchRanksTest, EveryRankHasTheRecordsOfItsClients) {
  BenchResult result;
  ASSERT_EQ(code(plan_of(of_), result), 0);
  if (testing::world().rank == 0) {
    EXPECT_EQ(result.facts.repetitions.size(), 2U);
    EXPECT_EQ(result.facts.repetitions.front().updates, result.facts.expected_updates);
  }
}

TEST_F(BenchRanksTest, AnErrorOnTheLastRankEndsItOnAll) {
  Plan plan = plan_of(of_);
  // Files, whose records do not depend on their numbers alone.
  if (testing::world().rank == testing::world().size - 1) {
    Settings files = Settings::from_text("train = \"none.txt\"\nfeatures = 12\n", "test");
    plan.source = row(sources(), "libsvm").make(files);
  }
  BenchResult result;
  EXPECT_EQ(code(plan, result), 1);
  EXPECT_TRUE(result.facts.repetitions.empty());
}

}  // namespace trilemma::bench_ranks
