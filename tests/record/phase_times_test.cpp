// Times of phases summarised over the ranks (src/record/phase_times.hpp).

#include "record/phase_times.hpp"

#include <gtest/gtest.h>

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

}  // namespace trilemma::phase_times_test
