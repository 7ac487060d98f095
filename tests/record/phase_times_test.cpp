// Times of phases summarised over the ranks (src/record/phase_times.hpp).

#include "record/phase_times.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trilemma::phase_times_test {

TEST(PhaseSummary, IsMeanMaximumAndItsRank) {
  // Two rows, three ranks, two phases.
  const double seconds[] = {1, 5, 2, 4, 6, 0, 7, 7, 7, 1, 4, 7};
  const PhaseSummary found = summarised(seconds, 3, 2);
  EXPECT_EQ(found.mean, (std::vector<double>{3, 3, 6, 5}));
  EXPECT_EQ(found.largest, (std::vector<double>{6, 5, 7, 7}));
  EXPECT_EQ(found.slowest, (std::vector<std::int64_t>{2, 0, 0, 0}));  // the first of equal ranks
  EXPECT_TRUE(summarised({}, 3, 2).mean.empty());
}

TEST(EnergyOfPhases, IsDividedByTheTimesOnEachNode) {
  // Two rows, three ranks, two phases; ranks 0 and 2 are on node 0.
  const double seconds[] = {1, 0, 2, 0, 1, 2, 0, 2, 1, 1, 1, 1};
  const std::int64_t node[] = {0, 1, 0};
  const double joules[] = {80, 40};
  // Node 0 spent 8 s: 10 J a second. Node 1 spent 4 s: 10 J a second.
  EXPECT_EQ(divided(joules, seconds, node, 2), (std::vector<double>{40, 20, 20, 40}));
  const double more[] = {160, 40};
  EXPECT_EQ(divided(more, seconds, node, 2), (std::vector<double>{60, 40, 30, 70}));
  const double unknown[] = {80, std::nan("")};
  for (const double share : divided(unknown, seconds, node, 2)) EXPECT_TRUE(std::isnan(share));
}

}  // namespace trilemma::phase_times_test
