#include "network/network.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"

namespace trilemma::network_test {
namespace {

Timing exactly(double bytes, double seconds) { return {bytes, {seconds, seconds, seconds}}; }

TEST(NetworkLine, IsFoundInExactTimes) {
  const std::vector<Timing> timings{exactly(8, 2.08), exactly(100, 3), exactly(1000, 12)};
  const Line line = fit_line(timings);
  EXPECT_NEAR(line.latency, 2, 1e-12);
  EXPECT_NEAR(line.seconds_per_byte, 0.01, 1e-14);
  EXPECT_NEAR(median_error(line, timings), 0, 1e-12);
}

// Relative errors: a time of a microsecond counts as much as one of a second.
TEST(NetworkLine, WeighsRelativeErrors) {
  const std::vector<Timing> timings{exactly(1, 1e-6), exactly(1e6, 1), exactly(2e6, 2)};
  const Line line = fit_line(timings);
  EXPECT_NEAR(line.seconds(1), 1e-6, 1e-12);
}

TEST(NetworkLine, HasNoNegativeNumbers) {
  const std::vector<Timing> falling{exactly(10, 3), exactly(1000, 1)};
  EXPECT_GE(fit_line(falling).seconds_per_byte, 0);
  EXPECT_GT(fit_line(falling).latency, 0);
  const std::vector<Timing> steep{exactly(10, 1), exactly(100, 30)};
  EXPECT_EQ(fit_line(steep).latency, 0);
  EXPECT_GT(fit_line(steep).seconds_per_byte, 0);
}

TEST(NetworkTimes, ALineThatIsFarOffOrFlatIsAPoorFit) {
  const Line sloping{.latency = 1e-6, .seconds_per_byte = 1e-9};
  EXPECT_EQ(fit_remark(sloping, 0.1), "");
  EXPECT_NE(fit_remark(sloping, 0.25).find("NO LINE FITS"), std::string::npos);
  EXPECT_NE(fit_remark({.latency = 1e-6, .seconds_per_byte = 0}, 0.1).find("NO BANDWIDTH"),
            std::string::npos);
}

TEST(NetworkTimes, MedianIntervalIsMadeOfValues) {
  const std::vector<double> three{1, 2, 4};
  EXPECT_EQ(median_interval(three).median, 2);
  EXPECT_EQ(median_interval(three).low, 1);
  EXPECT_EQ(median_interval(three).high, 4);
  std::vector<double> hundred;
  for (int i = 1; i <= 100; ++i) hundred.push_back(i);
  // Ranks 40 and 61 of 100: Le Boudec's table.
  const MedianInterval found = median_interval(hundred);
  EXPECT_EQ(found.median, 50.5);
  EXPECT_EQ(found.low, 40);
  EXPECT_EQ(found.high, 61);
}

TEST(NetworkTimes, SizesEndWithTheLargest) {
  EXPECT_EQ(message_sizes(100), (std::vector<std::size_t>{8, 32, 100}));
  EXPECT_EQ(message_sizes(128), (std::vector<std::size_t>{8, 32, 128}));
}

// Five ranks, 1 ms and 1000 bytes a second: rank 0 sends and receives four messages.
TEST(NetworkStar, SharesTheLinkOfRank0) {
  const Network star(5, {.latency = 1e-3, .seconds_per_byte = 1e-3});
  EXPECT_DOUBLE_EQ(star.seconds(Operation::point_to_point, 10), 0.011);
  EXPECT_DOUBLE_EQ(star.seconds(Operation::gather, 10), 0.041);
  EXPECT_DOUBLE_EQ(star.seconds(Operation::broadcast, 10), 0.043);
  EXPECT_DOUBLE_EQ(star.seconds(Operation::reduce, 10), 0.033);
  EXPECT_EQ(star.seconds(Operation::gather, 0), 0);
  EXPECT_FALSE(star.is_measured());
}

TEST(NetworkStar, OneRankSendsNothing) {
  const Network alone(1, {.latency = 1, .seconds_per_byte = 1});
  EXPECT_EQ(alone.seconds(Operation::gather, 10), 0);
}

}  // namespace
}  // namespace trilemma::network_test
