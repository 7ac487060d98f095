#pragma once
// Monte Carlo with error bars. All seeds are fixed, so a test that has passed once passes always;
// the stated probabilities are those with which a right program would fail for a fresh seed.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

namespace trilemma::testing {

/// Mean and standard error of a sample (Welford).
class Sample {
 public:
  void add(double value) {
    ++count_;
    const double step = value - mean_;
    mean_ += step / static_cast<double>(count_);
    squares_ += step * (value - mean_);
  }
  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return squares_ / static_cast<double>(count_ - 1); }
  double error() const { return std::sqrt(variance() / static_cast<double>(count_)); }

 private:
  std::size_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// Five standard errors: 6e-7 for one two-sided test, so 6e-5 for a hundred of them.
inline constexpr double five_sigma = 5.0;

/// Expects the mean of the sample to be `expected` within five standard errors (and `slack` for
/// rounding).
inline void expect_mean(const Sample& sample, double expected, double slack = 0) {
  EXPECT_LE(std::abs(sample.mean() - expected), five_sigma * sample.error() + slack)
      << "mean " << sample.mean() << " +- " << sample.error() << ", expected " << expected;
}

}  // namespace trilemma::testing
