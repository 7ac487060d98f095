// Sums that do not depend on the order of their terms (src/numeric/exact_sum.hpp).

#include "numeric/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/lanes.hpp"
#include "numeric/random.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::exact_sum_test {

constexpr std::size_t dimension = 9;

// Vectors whose sizes differ by many orders of magnitude.
std::vector<Vector> terms(std::size_t count, std::uint64_t seed) {
  Stream stream({seed, Purpose::data});
  std::vector<Vector> all(count, Vector(dimension));
  for (auto& term : all)
    for (auto& value : term)
      value =
          static_cast<real>((stream.uniform() - 0.5) * std::pow(10.0, 12 * stream.uniform() - 9));
  return all;
}

double largest(const std::vector<Vector>& all) {
  double most = 0;
  for (const auto& term : all) most = std::max(most, static_cast<double>(largest_size(term)));
  return most;
}

std::vector<double> sum_of(const std::vector<Vector>& all, std::span<const std::size_t> order,
                           bool fine) {
  ExactSum sum(dimension, fine);
  sum.begin(all.size(), largest(all));
  for (const std::size_t i : order) sum.add(0, Support::all(), all[i]);
  const auto found = sum.finish();
  return {found.begin(), found.end()};
}

TEST(ExactSum, IsTheSameInAnyOrder) {
  for (const std::size_t count : {1, 2, 3, 7, 64, 1000})
    for (const bool fine : {false, true}) {
      const auto all = terms(count, count);
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      const auto expected = sum_of(all, order, fine);
      Stream stream({7, Purpose::data});
      for (int turn = 0; turn < 20; ++turn) {
        for (std::size_t left = count; left > 1; --left)
          std::swap(order[left - 1], order[stream.below(static_cast<std::uint32_t>(left))]);
        ASSERT_EQ(sum_of(all, order, fine), expected) << count << fine;
      }
    }
}

// Half a unit for each term, and the rounding of the result.
TEST(ExactSum, IsAsPreciseAsItSays) {
  for (const std::size_t count : {1, 5, 300})
    for (const bool fine : {false, true}) {
      const auto all = terms(count, 3 * count);
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      const auto found = sum_of(all, order, fine);
      const double b = std::ceil(std::log2(count));
      const double bound =
          std::ldexp(largest(all), static_cast<int>(fine ? 3 * b - 100 : 2 * b - 48));
      for (std::size_t j = 0; j < dimension; ++j) {
        long double exact = 0;
        for (const auto& term : all) exact += static_cast<long double>(term[j]);
        EXPECT_LE(std::abs(static_cast<double>(found[j] - exact)),
                  bound + std::abs(static_cast<double>(exact)) * 0x1p-52)
            << count << fine;
      }
    }
}

TEST(ExactSum, ByHand) {
  ExactSum sum(4, true);
  sum.begin(2, 3);
  const std::vector<std::uint32_t> at{0, 2};
  sum.add(1, Support::of(at), Vector{1, -3});
  sum.add(0, Support::all(), Vector{0.5, 0, 0, 3});
  const auto found = sum.finish();
  EXPECT_EQ(std::vector<double>(found.begin(), found.end()), (std::vector<double>{0.5, 1, 0, 0}));
  sum.begin(1, 0);  // starts again
  sum.add(0, Support::all(), Vector{0, 0, 0, 0});
  EXPECT_EQ(sum.finish()[1], 0.0);
}

TEST(ExactSum, LetsThroughWhatIsNotFinite) {
  const real inf = std::numeric_limits<real>::infinity();
  EXPECT_EQ(largest_size(Vector{1, -inf, 2}), inf);
  EXPECT_TRUE(std::isnan(largest_size(Vector{inf, std::nan(""), 2})));
  EXPECT_EQ(largest_size(Vector{}), real{0});
  EXPECT_EQ(largest_size(Vector{1, -4, 2}), real{4});
  ExactSum sum(2, false);
  sum.begin(2, static_cast<double>(inf));
  sum.add(0, Support::all(), Vector{1, inf});
  sum.add(0, Support::all(), Vector{2, 1});
  const auto found = sum.finish();
  EXPECT_EQ(found[0], 3.0);
  EXPECT_EQ(found[1], static_cast<double>(inf));
}

// Tiny and huge values too.
TEST(ExactSum, KeepsItsPromiseAtTheEndsOfTheRange) {
  for (const double size : {1e-38, 1e37}) {
    ExactSum sum(1, false);
    sum.begin(3, size);
    for (int i = 0; i < 3; ++i) sum.add(0, Support::all(), Vector{static_cast<real>(size)});
    EXPECT_NEAR(sum.finish()[0] / size, 3, 4 * testing::rounding + 0x1p-44);
  }
}

}  // namespace trilemma::exact_sum_test
