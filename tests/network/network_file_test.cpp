// Measured networks, and the times that follow for other sizes and numbers of ranks.

#include <gtest/gtest.h>

#include <cmath>

#include "network/network.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::network_file_test {
namespace {

constexpr double latency = 1e-4;
constexpr double per_byte = 8e-8;  // 100 Mbit/s

double between_two(double bytes) { return latency + per_byte * bytes; }

// Three ranks behind 100 Mbit/s whose collective calls take a tenth longer than their algorithms on
// such links; times of the last operation vary up and down by `noise`.
class Calibrated : public ::testing::Test {
 protected:
  std::string write(double noise = 0, const char* rule = "open-mpi", int ranks = 3) {
    Report report;
    report.count("ranks", ranks, "rank", "MPI processes");
    report.text("rule", rule, "rule");
    for (std::size_t i = 0; i < operation_count; ++i) {
      ReportTable table{operation_names[i],
                        {{"bytes", "byte", "", {}},
                         {"median", "s", "", {}},
                         {"low", "s", "", {}},
                         {"high", "s", "", {}}}};
      double factor = 1;
      for (double bytes = 8; bytes <= 2097152; bytes *= 4) {
        double seconds = seconds_of(static_cast<Operation>(i), bytes, ranks);
        if (bytes < slow_below && i > 0) seconds *= 3;
        if (i + 1 == operation_count) seconds *= factor = factor == 1 ? 1 + noise : 1;
        table.columns[0].value.push_back(bytes);
        for (const std::size_t column : {1, 2, 3}) table.columns[column].value.push_back(seconds);
      }
      report.tables.push_back(std::move(table));
    }
    const std::string path = folder_.at("n.h5");
    write_report(path, network_report_kind, report, true);
    return path;
  }

  double slow_below = 0;  ///< collective calls of fewer bytes take three times as long

  static double seconds_of(Operation operation, double bytes, int ranks = 3) {
    if (operation == Operation::point_to_point) return between_two(bytes);
    const auto algorithm = chosen(Rule::open_mpi, operation, ranks, bytes);
    double seconds = 0;
    for (const auto& step : route_of(algorithm, operation, ranks, bytes).steps)
      seconds += step.times * (step.times > 0 ? between_two(step.copies * bytes) : 0);
    return 1.1 * seconds;
  }

 private:
  testing::TempFolder folder_;
};

TEST_F(Calibrated, IsAsMeasuredAtTheSizesMeasured) {
  const Network network = Network::from_file(write(), 0);
  EXPECT_TRUE(network.is_measured());
  EXPECT_EQ(network.ranks(), 3);
  for (const double bytes : {8.0, 2048.0, 524288.0})
    for (const auto operation : {Operation::broadcast, Operation::gather, Operation::reduce})
      EXPECT_NEAR(network.seconds(operation, bytes) / seconds_of(operation, bytes), 1, 1e-12);
}

// On four ranks sums of 131 kB and of 524 kB take two steps; those of 407 kB between them send
// three messages through the link of rank 0.
TEST_F(Calibrated, FollowsTheAlgorithmBetweenTheSizes) {
  const Network network = Network::from_file(write(0, "open-mpi", 4), 0);
  for (const double bytes : {407'120.0, 203'560.0, 40'000.0}) {
    const Call call = network.call(Operation::reduce, bytes);
    EXPECT_NEAR(call.seconds / seconds_of(Operation::reduce, bytes, 4), 1, 0.01) << bytes;
    EXPECT_FALSE(call.is_beyond);
  }
  EXPECT_EQ(network.call(Operation::reduce, 407'120).algorithm, Algorithm::linear);
  EXPECT_EQ(network.call(Operation::reduce, 524'288).algorithm, Algorithm::binomial);
}

TEST_F(Calibrated, GrowsBeyondTheSizes) {
  const Call call = Network::from_file(write(), 0).call(Operation::gather, 5e6);
  EXPECT_NEAR(call.seconds / seconds_of(Operation::gather, 5e6), 1, 0.01);
  EXPECT_TRUE(call.is_beyond);
}

TEST_F(Calibrated, GrowsWithTheRanksAsTheAlgorithmDoes) {
  const Network network = Network::from_file(write(), 13);
  EXPECT_FALSE(network.is_measured());
  EXPECT_EQ(network.measured_ranks(), 3);
  const Call down = network.call(Operation::broadcast, 203'560);
  EXPECT_EQ(down.algorithm, Algorithm::linear);
  EXPECT_EQ(down.server_bytes, 12 * 203'560);
  EXPECT_NEAR(down.seconds, 1.1 * (latency + 12 * 203'560 * per_byte), 0.01 * down.seconds);
  EXPECT_NEAR(network.seconds(Operation::gather, 8192), 1.1 * (latency + 12 * 8192 * per_byte),
              1e-9);
  const Call up = network.call(Operation::reduce, 524288);
  EXPECT_EQ(up.algorithm, Algorithm::binomial);
  EXPECT_NEAR(up.seconds, 1.1 * 4 * between_two(524288), 1e-9);
}

// 12 messages of 8 kB load the link of rank 0 as much as 2 of 49 kB did, not as 2 of 8 kB.
TEST_F(Calibrated, LooksWhereAsManyBytesTravelled) {
  slow_below = 10'000;
  EXPECT_NEAR(Network::from_file(write(), 13).seconds(Operation::gather, 8192),
              1.1 * (latency + 12 * 8192 * per_byte), 1e-9);
}

TEST_F(Calibrated, MayBeTakenForAStarOrATree) {
  const Network star = Network::from_file(write(), 13, Topology::star);
  EXPECT_NEAR(star.seconds(Operation::reduce, 524288), between_two(12 * 524288), 1e-9);
  const Network tree = Network::from_file(write(), 13, Topology::tree);
  EXPECT_NEAR(tree.seconds(Operation::reduce, 524288), 4 * between_two(524288), 1e-9);
  EXPECT_NEAR(bits_per_byte / tree.line().seconds_per_byte, 100e6, 1);
}

TEST_F(Calibrated, KnowsWhatHasNoFit) {
  for (const int ranks : {0, 13}) {
    const Network network = Network::from_file(write(1), ranks);
    EXPECT_GT(network.call(Operation::reduce, 407'120).doubt, most_fit_error) << ranks;
    EXPECT_LT(network.call(Operation::gather, 407'120).doubt, most_fit_error) << ranks;
  }
  EXPECT_LT(Network::from_file(write(1), 13, Topology::tree).call(Operation::reduce, 407'120).doubt,
            most_fit_error);
}

TEST_F(Calibrated, NamesItsMpiLibrary) {
  EXPECT_EQ(Network::from_file(write(0, "mpich"), 64).call(Operation::broadcast, 203'560).algorithm,
            Algorithm::scatter_allgather);
  testing::expect_parts(testing::refusal([&] { Network::from_file(write(0, "lam"), 0); }),
                        {"facts/rule is 'lam'", "open-mpi and mpich", "measure the network again"});
}

}  // namespace
}  // namespace trilemma::network_file_test
