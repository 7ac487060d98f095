// Loops over the channels of maps (src/problem/kernels/channels.cpp) against plain loops, and the
// same bits for registers of every width.

#include "problem/kernels/channels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "numeric/vectors.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::channels_test {

constexpr std::size_t pixels = 30;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Numbers of channels that fill vectors of 4, 8 and 16 values, and that do not.
class Channels : public ::testing::TestWithParam<std::size_t> {
 protected:
  ~Channels() override { limit_vectors(before_); }

  // Returns what `compute` writes, the same bits with registers of every width.
  template <class Values>
  static Values at_every_width(std::size_t size, const std::function<void(Values&)>& compute) {
    Values first;
    for (const unsigned bits : {128U, 256U, 512U}) {
      limit_vectors(0);
      if (vector_target().bits < bits) continue;
      limit_vectors(bits);
      Values found(size);
      compute(found);
      if (first.empty()) first = found;
      EXPECT_EQ(std::memcmp(found.data(), first.data(), size * sizeof(found[0])), 0) << bits;
    }
    return first;
  }
  template <class Values, class Expected>
  static void expect_near(const Values& found, const Expected& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t v = 0; v < found.size(); ++v)
      EXPECT_NEAR(static_cast<double>(found[v]), static_cast<double>(expected[v]), tolerance) << v;
  }

  const unsigned before_ = vector_target().bits;
  const std::size_t channels_ = GetParam();
  const Vector z_ = testing::random_vector(pixels * channels_, 1, 2);
  const Vector e_ = testing::random_vector(pixels * channels_, 2);
  const Vector mean_ = testing::random_vector(channels_, 3);
  const Vector factor_ = testing::random_vector(channels_, 4);
  const Vector scale_ = testing::random_vector(channels_, 5);
  const Vector shift_ = testing::random_vector(channels_, 6);
  const ChannelNorm norm_{mean_, factor_};
};

TEST_P(Channels, Sums) {
  const std::vector<double> means(mean_.begin(), mean_.end());
  std::vector<double> expected(4 * channels_, 0.5);
  for (std::size_t v = 0; v < z_.size(); ++v) {
    const std::size_t c = v % channels_;
    const double z = static_cast<double>(z_[v]);
    const double e = static_cast<double>(e_[v]);
    expected[c] += z;
    expected[channels_ + c] += (z - means[c]) * (z - means[c]);
    expected[2 * channels_ + c] += e;
    expected[3 * channels_ + c] += e * (z - means[c]) * static_cast<double>(factor_[c]);
  }
  const auto found =
      at_every_width<std::vector<double>>(4 * channels_, [&](std::vector<double>& sums) {
        std::ranges::fill(sums, 0.5);
        const auto part = [&](std::size_t p) {
          return std::span(sums).subspan(p * channels_, channels_);
        };
        add_channels(z_, part(0));
        add_squared_differences(z_, means, part(1));
        add_error_sums(z_, e_, norm_, part(2), part(3));
      });
  expect_near(found, expected, 1000 * testing::rounding);
}

TEST_P(Channels, NormalisesAndPassesErrors) {
  const Vector front = testing::random_vector(channels_, 7);
  std::vector<double> expected(2 * z_.size());
  for (std::size_t v = 0; v < z_.size(); ++v) {
    const std::size_t c = v % channels_;
    const auto of = [c](const Vector& values) { return static_cast<double>(values[c]); };
    const double n = (static_cast<double>(z_[v]) - of(mean_)) * of(factor_);
    expected[v] = of(scale_) * n + of(shift_);
    expected[z_.size() + v] =
        of(front) * (of(scale_) * static_cast<double>(e_[v]) - of(shift_) - n * of(mean_));
  }
  const auto found = at_every_width<Vector>(2 * z_.size(), [&](Vector& values) {
    normalise_channels(z_, norm_, scale_, shift_, View(values).first(z_.size()));
    pass_errors(z_, e_, norm_, {front, scale_, shift_, mean_}, View(values).last(z_.size()));
  });
  expect_near(found, expected, 1000 * testing::rounding);
}

// 5 x 6 pixels; windows of 3 x 2 at distance 1 overlap. Small integers, so that values are equal.
TEST_P(Channels, TheFirstOfTheLargestOfAWindow) {
  const MapWindows w{.width = 6,
                     .channels = channels_,
                     .out_height = 3,
                     .out_width = 5,
                     .window_height = 3,
                     .window_width = 2,
                     .stride = 1};
  Vector map(pixels * channels_);
  for (std::size_t v = 0; v < map.size(); ++v) map[v] = std::round(z_[v]);
  map[7 * channels_] = static_cast<real>(nan);
  const std::size_t outputs = w.out_height * w.out_width * channels_;
  Vector largest(outputs), places(outputs), passed(map.size());
  for (std::size_t o = 0; o < outputs; ++o) {
    const std::size_t c = o % channels_, j = o / channels_ % 5, i = o / channels_ / 5;
    std::size_t best = 0;
    const auto at = [&](std::size_t k) { return ((i + k / 2) * 6 + j + k % 2) * channels_ + c; };
    for (std::size_t k = 1; k < 6; ++k)
      if (map[at(k)] > map[at(best)] || std::isnan(map[at(k)])) best = k;
    largest[o] = map[at(best)];
    places[o] = static_cast<real>(best);
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    const std::size_t c = o % channels_, j = o / channels_ % 5, i = o / channels_ / 5;
    const auto k = static_cast<std::size_t>(places[o]);
    passed[((i + k / 2) * 6 + j + k % 2) * channels_ + c] += e_[o];
  }
  const auto found = at_every_width<Vector>(2 * outputs + map.size(), [&](Vector& values) {
    const View where = View(values).subspan(outputs, outputs);
    largest_of_windows(w, map, View(values).first(outputs), where);
    add_to_largest(w, ConstView(e_).first(outputs), where, View(values).last(map.size()));
  });
  for (std::size_t o = 0; o < outputs; ++o) {
    EXPECT_EQ(found[outputs + o], places[o]) << o;
    EXPECT_TRUE(found[o] == largest[o] || (std::isnan(found[o]) && std::isnan(largest[o]))) << o;
  }
  for (std::size_t v = 0; v < map.size(); ++v) EXPECT_EQ(found[2 * outputs + v], passed[v]) << v;
}

INSTANTIATE_TEST_SUITE_P(Numbers, Channels, ::testing::Values(1, 3, 4, 8, 12, 16, 23, 64));

}  // namespace trilemma::channels_test
