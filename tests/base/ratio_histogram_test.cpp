// Classes of ratios and their median (src/base/ratio_histogram.hpp).

#include "base/ratio_histogram.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace trilemma::ratio_histogram_test {

double median_of(const std::vector<double>& ratios) {
  RatioHistogram histogram;
  for (const double ratio : ratios) histogram.add(ratio);
  const std::vector<double> counts(histogram.count.begin(), histogram.count.end());
  return RatioHistogram::median(counts);
}

TEST(RatioHistogram, HasTwoClassesAnOctave) {
  EXPECT_EQ(RatioHistogram::index(1), RatioHistogram::index(1.499));
  EXPECT_EQ(RatioHistogram::index(1.5), RatioHistogram::index(1) + 1);
  EXPECT_EQ(RatioHistogram::index(0.999), RatioHistogram::index(1) - 1);
  EXPECT_EQ(RatioHistogram::index(2), RatioHistogram::index(1) + 2);
  EXPECT_EQ(RatioHistogram::index(RatioHistogram::least), 1U);
  EXPECT_EQ(RatioHistogram::index(RatioHistogram::most), RatioHistogram::classes - 1U);
  EXPECT_EQ(RatioHistogram::index(0), 0U);
  EXPECT_EQ(RatioHistogram::index(1e-300), 0U);
  EXPECT_EQ(RatioHistogram::index(1e300), RatioHistogram::classes - 1U);
  EXPECT_EQ(RatioHistogram::index(std::numeric_limits<double>::infinity()),
            RatioHistogram::classes - 1U);
}

TEST(RatioHistogram, TheMedianIsTheMiddleOfAClass) {
  EXPECT_EQ(median_of({1}), 1.25);
  EXPECT_EQ(median_of({0.1, 3.0, 1e9}), 3.5);
  EXPECT_EQ(median_of({0.06}), 1.0 / 16);
  EXPECT_EQ(median_of({129}), 128);
  EXPECT_EQ(median_of({3, 7, 0.5, 100}), 3.5);  // the smaller of two
  EXPECT_TRUE(std::isnan(median_of({})));
  for (double ratio = 0.07; ratio < 128; ratio *= 1.07)
    EXPECT_NEAR(median_of({ratio}), ratio, ratio / 4 * 1.0001) << ratio;
}

}  // namespace trilemma::ratio_histogram_test
