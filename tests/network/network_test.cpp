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

// Times at 8, 32, 128, ... bytes.
template <class Seconds>
std::vector<Timing> timings_of(std::size_t sizes, Seconds seconds) {
  std::vector<Timing> timings;
  double bytes = 8;
  for (std::size_t i = 0; i < sizes; ++i, bytes *= 4)
    timings.push_back(exactly(bytes, seconds(bytes)));
  return timings;
}

TEST(NetworkFit, OneLineStaysOne) {
  const auto fit = fit_pieces(timings_of(10, [](double m) { return 1e-3 + 1e-6 * m; }));
  ASSERT_EQ(fit.segments.size(), 1U);
  EXPECT_NEAR(fit.latency(), 1e-3, 1e-12);
  EXPECT_NEAR(fit.bandwidth(), 1e6, 1e-3);
  EXPECT_NEAR(fit.half_size(), 1000, 1e-6);  // start and transfer take equally long
  EXPECT_NEAR(fit.error(), 0, 1e-9);
}

// A link of 100 Mbit/s whose rate limit lets the first 4 kB pass at memory speed. A single line
// would give 200 Mbit/s and more.
TEST(NetworkFit, FindsTheBreakOfAShapedLink) {
  const auto timings = timings_of(
      10, [](double m) { return m < 4096 ? 20e-6 + 2e-9 * m : 100e-6 + 8e-8 * (m - 4096); });
  const auto fit = fit_pieces(timings);
  ASSERT_EQ(fit.segments.size(), 2U);
  EXPECT_EQ(fit.segments[0].from, 8);
  EXPECT_EQ(fit.segments[0].to, 2048);
  EXPECT_EQ(fit.segments[1].from, 8192);
  EXPECT_EQ(fit.segments[1].to, 8 << 18);
  EXPECT_NEAR(fit.latency(), 20e-6, 1e-9);
  EXPECT_NEAR(fit.bandwidth() * bits_per_byte, 100e6, 1);
  EXPECT_EQ(fit.half_size(), 0);
  EXPECT_LT(fit.error(), 1e-6);
}

TEST(NetworkFit, FindsTwoBreaks) {
  const auto fit = fit_pieces(timings_of(12, [](double m) {
    return m < 1000 ? 1e-5 : m < 100'000 ? 4e-5 + 1e-9 * m : 2e-4 + 1e-8 * m;
  }));
  ASSERT_EQ(fit.segments.size(), 3U);
  EXPECT_EQ(fit.segments[1].from, 2048);
  EXPECT_EQ(fit.segments[2].from, 131072);
  EXPECT_NEAR(fit.bandwidth(), 1e8, 1);
  EXPECT_NEAR(fit.half_size(), 2e4, 1e-3);
}

// Neither lines nor breaks explain times that vary up and down.
TEST(NetworkFit, NoiseHasNone) {
  bool is_up = false;
  const auto fit = fit_pieces(timings_of(12, [&](double m) {
    is_up = !is_up;
    return (1e-5 + 1e-8 * m) * (is_up ? 3 : 1);
  }));
  EXPECT_GT(fit.error(), most_fit_error);
}

TEST(NetworkFit, TwoSizesAreOneLine) {
  const auto fit = fit_pieces(timings_of(2, [](double m) { return m; }));
  ASSERT_EQ(fit.segments.size(), 1U);
  EXPECT_EQ(fit.errors.size(), 2U);
}

TEST(NetworkFit, AFlatEndHasNoBandwidth) {
  const auto fit = fit_pieces(timings_of(4, [](double) { return 1.0; }));
  EXPECT_TRUE(std::isinf(fit.bandwidth()));
  EXPECT_TRUE(std::isinf(fit.half_size()));
}

TEST(NetworkTimes, ASegmentThatIsFarOffIsNoFit) {
  EXPECT_EQ(fit_remark({8, 64, {1e-6, 1e-9}, 0.1}), "");
  EXPECT_NE(fit_remark({8, 64, {1e-6, 1e-9}, 0.25}).find("NO FIT"), std::string::npos);
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
  EXPECT_EQ(message_sizes(100, {40, 8, 400}), (std::vector<std::size_t>{8, 32, 40, 100, 400}));
}

// Five ranks, 1 ms and 1000 bytes a second: four messages pass the link of rank 0.
TEST(NetworkStar, SharesTheLinkOfRank0) {
  const Network star(5, {.latency = 1e-3, .seconds_per_byte = 1e-3});
  EXPECT_DOUBLE_EQ(star.seconds(Operation::point_to_point, 10), 0.011);
  for (const auto operation : {Operation::gather, Operation::broadcast, Operation::reduce}) {
    const Call call = star.call(operation, 10);
    EXPECT_DOUBLE_EQ(call.seconds, 0.041);
    EXPECT_EQ(call.algorithm, Algorithm::linear);
    EXPECT_EQ(call.server_bytes, 40);
  }
  EXPECT_EQ(star.seconds(Operation::gather, 0), 0);
  EXPECT_FALSE(star.is_measured());
}

TEST(NetworkStar, OneRankSendsNothing) {
  const Network alone(1, {.latency = 1, .seconds_per_byte = 1});
  EXPECT_EQ(alone.seconds(Operation::gather, 10), 0);
}

// 64 ranks with 100 Gbit/s: three levels of three messages each, instead of the 63 messages of the
// star.
TEST(NetworkTree, ForwardsWhereAStarDoesNot) {
  const Line line{.latency = 4e-6, .seconds_per_byte = 8 / 100e9};
  const Network tree(64, line, Topology::tree);
  const Call down = tree.call(Operation::broadcast, 203'560);
  EXPECT_EQ(down.algorithm, Algorithm::knomial);
  EXPECT_NEAR(down.seconds, 3 * 4e-6 + 9 * 203'560 * 8 / 100e9, 1e-12);
  EXPECT_EQ(down.server_bytes, 9 * 203'560);
  EXPECT_NEAR(tree.seconds(Operation::reduce, 407'120), 6 * (4e-6 + 407'120 * 8 / 100e9), 1e-12);
  EXPECT_NEAR(tree.seconds(Operation::gather, 1000), 4e-6 + 63 * 8000 / 100e9, 1e-12);
  EXPECT_NEAR(Network(64, line).seconds(Operation::broadcast, 203'560),
              4e-6 + 63 * 203'560 * 8 / 100e9, 1e-12);
  const auto agreement = tree.agreement();
  ASSERT_EQ(agreement.size(), 1U);
  EXPECT_NEAR(agreement[0].seconds, 6 * (4e-6 + 64 / 100e9), 1e-12);
}

}  // namespace
}  // namespace trilemma::network_test
