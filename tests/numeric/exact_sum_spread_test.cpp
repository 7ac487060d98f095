// Sums of small values next to large ones (src/numeric/exact_sum.hpp): every coordinate is precise
// relative to the sizes of its own values, with the same bits in any order and on any number of
// ranks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numeric/exact_sum.hpp"
#include "numeric/lanes.hpp"
#include "numeric/random.hpp"

namespace trilemma::exact_sum_spread_test {

// More than one block of the kernel, and not a multiple of one.
constexpr std::size_t dimension = 300;

struct Term {
  std::vector<std::uint32_t> at;  ///< of a sparse term
  Vector values;
  Support support() const { return at.empty() ? Support::all() : Support::of(Coordinates(at)); }
};

// Value j is at most 10^power(j) in magnitude; every third term is sparse.
template <class Power>
std::vector<Term> terms_of(std::size_t count, Power power) {
  Stream stream({count, Purpose::data});
  std::vector<Term> all(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint32_t j = 0; j < dimension; ++j) {
      if (i % 3 == 2 && stream.uniform() < 0.7) continue;
      if (i % 3 == 2) all[i].at.push_back(j);
      all[i].values.push_back(static_cast<real>((2 * stream.uniform() - 1) *
                                                std::pow(10.0, power(j, stream.uniform()))));
    }
  return all;
}

// Each coordinate has a size of its own, from 1e-30 to 1e30.
double own_size(std::uint32_t j, double) { return static_cast<double>(j * 7 % 61) - 30; }
// All sizes occur in each coordinate; in every second one only up to 1e-5.
double any_size(std::uint32_t j, double random) {
  return j % 2 == 0 ? 60 * random - 30 : 25 * random - 30;
}

double largest(const std::vector<Term>& all) {
  double most = 0;
  for (const auto& term : all)
    most = std::max(most, static_cast<double>(largest_size(term.values)));
  return most;
}

// Computes the sum as `ranks` ranks do, each with every `ranks`-th term: each adds its own terms,
// its marks are combined with those of the others, and the sums are added up at the first rank.
std::vector<double> sum_of(const std::vector<Term>& all, std::span<const std::size_t> order,
                           std::size_t ranks, bool fine) {
  const double most = largest(all);
  std::vector<ExactSum> sums(ranks, ExactSum(dimension, fine));
  const auto each = [&](std::size_t rank, auto visit) {
    for (std::size_t i = rank; i < order.size(); i += ranks) {
      const Term& term = all[order[i]];
      if (!visit(term)) return;
    }
  };
  bool is_marked = false;
  std::vector<std::uint64_t> marks(dimension / 64 + 1);
  for (std::size_t r = 0; r < ranks; ++r) {
    sums[r].begin(all.size(), most);
    each(r, [&](const Term& t) { return sums[r].add(0, t.support(), t.values) >= 0; });
    if (sums[r].doubt())
      each(r, [&](const Term& t) { return sums[r].inspect(0, t.support(), t.values); });
    if (ranks == 1) {
      const auto found = sums[0].finish();
      return {found.begin(), found.end()};
    }
    is_marked = sums[r].mark() || is_marked;
    for (std::size_t w = 0; w < marks.size(); ++w) marks[w] |= sums[r].marks()[w];
  }
  std::size_t depth = 0;
  for (std::size_t r = 0; is_marked && r < ranks; ++r) {
    std::ranges::copy(marks, sums[r].marks().begin());
    sums[r].inspect_again();
    each(r, [&](const Term& t) { return sums[r].inspect(0, t.support(), t.values); });
    depth = std::max(depth, sums[r].depth());
  }
  std::vector<std::vector<double>> parts;
  for (std::size_t r = ranks; r-- > 0;) {
    if (is_marked) sums[r].use_depth(depth);
    std::size_t number = 0;
    const auto found = sums[r].finish([&](std::span<double> part) {
      if (number == parts.size()) parts.emplace_back(part.size());
      ASSERT_EQ(parts[number].size(), part.size());
      for (std::size_t i = 0; i < part.size(); ++i) parts[number][i] += part[i];
      std::ranges::copy(parts[number++], part.begin());
    });
    if (r == 0) return {found.begin(), found.end()};
  }
  return {};
}

// The plain twin: with compensation (Neumaier 1974), in long double.
std::array<double, 2> sum_and_sizes(const std::vector<Term>& all, std::uint32_t j) {
  long double sum = 0, lost = 0, sizes = 0;
  for (const Term& term : all) {
    std::size_t i = j;
    if (!term.at.empty()) {
      const auto found = std::ranges::lower_bound(term.at, j);
      if (found == term.at.end() || *found != j) continue;
      i = static_cast<std::size_t>(found - term.at.begin());
    }
    const auto value = static_cast<long double>(term.values[i]);
    const long double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
    sizes += std::abs(value);
  }
  return {static_cast<double>(sum + lost), static_cast<double>(sizes)};
}

double promised(std::size_t count, bool fine) {
  return fine ? 0x1p-50 : (std::ceil(std::log2(static_cast<double>(count))) + 1) * 0x1p-23;
}

void check(const std::vector<Term>& all, bool fine) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto found = sum_of(all, order, 1, fine);
  for (std::uint32_t j = 0; j < dimension; ++j) {
    const auto [exact, sizes] = sum_and_sizes(all, j);
    ASSERT_LE(std::abs(found[j] - exact), promised(all.size(), fine) * sizes)
        << j << " of " << all.size() << " terms, " << fine;
  }
  Stream stream({7, Purpose::data});
  for (std::size_t ranks = 1; ranks <= 4; ++ranks) {
    for (std::size_t left = all.size(); left > 1; --left)
      std::swap(order[left - 1], order[stream.below(static_cast<std::uint32_t>(left))]);
    ASSERT_EQ(sum_of(all, order, ranks, fine), found) << ranks << " ranks, " << all.size();
  }
}

TEST(SpreadSum, IsPreciseByTheSizesOfEachCoordinate) {
  for (const std::size_t count : {1, 2, 3, 64, 1000, 10'000})
    for (const bool fine : {false, true}) check(terms_of(count, own_size), fine);
}

TEST(SpreadSum, IsPreciseWhereSizesAreMixed) {
  for (const std::size_t count : {1, 2, 3, 64, 1000, 10'000})
    for (const bool fine : {false, true}) check(terms_of(count, any_size), fine);
}

// Large values that cancel leave the sum of the small ones.
TEST(SpreadSum, OfValuesThatCancel) {
  auto all = terms_of(1000, own_size);
  for (std::size_t i = 0; i + 3 < all.size(); i += 6) {
    all[i + 3] = all[i];
    for (auto& value : all[i + 3].values) value = -value;
  }
  for (const bool fine : {false, true}) check(all, fine);
}

std::vector<double> sum_of_two(const Vector& a, const Vector& b) {
  ExactSum sum(2, false);
  sum.begin(2, static_cast<double>(std::max(largest_size(a), largest_size(b))));
  sum.add(0, Support::all(), a);
  sum.add(0, Support::all(), b);
  if (sum.doubt() && sum.inspect(0, Support::all(), a)) sum.inspect(0, Support::all(), b);
  const auto found = sum.finish();
  return {found.begin(), found.end()};
}

// The unit is 2^(32 + 1 - 51) = 2^-18. Next to it 2^-20 is lost, 3 * 2^-18 is not.
TEST(SpreadSum, ByHand) {
  const real large = 0x1p31F;
  EXPECT_EQ(sum_of_two({large, 0x1p-20F}, {large, 0x1p-20F}), (std::vector{0x1p32, 0x1p-19}));
  EXPECT_EQ(sum_of_two({large, 0x3p-18F}, {large, 0}), (std::vector{0x1p32, 0x3p-18}));
  EXPECT_EQ(sum_of_two({large, 0x1p-120F}, {0, 0x1p-90F}),
            (std::vector{0x1p31, 0x1p-90 + 0x1p-120}));
  EXPECT_EQ(sum_of_two({large, 0x1p-90F}, {0, -0x1p-90F}), (std::vector{0x1p31, 0.0}));
  // 2^-3 + 2^-20 is rounded to 2^-3, a relative error of 2^-17, more than (1 + 1) 2^-24 ...
  EXPECT_EQ(sum_of_two({large, 0x1p-3F + 0x1p-20F}, {0, 0}),
            (std::vector{0x1p31, 0x1p-3 + 0x1p-20}));
  // ... and 8 + 2^-20 to 8, a relative error of 2^-23, no more than that.
  EXPECT_EQ(sum_of_two({large, 0x1p3F + 0x1p-20F}, {0, 0}), (std::vector{0x1p31, 0x1p3}));
}

// The second of two ranks loses too little to mark the coordinate, but its terms need more layers
// there than those of the first, which marks it.
TEST(SpreadSum, ARankWithoutMarksMayNeedTheMostLayers) {
  const real unit = 0x1p-17F;
  std::vector<Term> all(4, Term{{}, Vector(dimension, 0)});
  all[0].values[0] = 0x1p31F;
  all[0].values[1] = -(1 - 0x1p-20F) * unit;
  all[1].values[1] = unit;
  all[3].values[1] = 0x1p-60F * unit;
  const std::vector<std::size_t> order{0, 1, 2, 3};
  const auto alone = sum_of(all, order, 1, false);
  EXPECT_EQ(alone[1], 0x1p-37 + 0x1p-77);
  EXPECT_EQ(sum_of(all, order, 2, false), alone);
}

// Where the unit is precise enough, remainders are neither searched for nor added.
TEST(SpreadSum, AsksForASecondLookOnlyWhereItMayMatter) {
  ExactSum sum(3, false);
  for (const Vector& values :
       {Vector{1, 0.7F, -3}, Vector{1, 0, 0x1p-20F}, Vector{0, 0, 0}, Vector{1, 1, 0.1F}}) {
    sum.begin(1, 4);
    sum.add(0, Support::all(), values);
    EXPECT_FALSE(sum.doubt());
    EXPECT_FALSE(sum.mark());
  }
  sum.begin(1, 4);
  sum.add(0, Support::all(), Vector{1, 1, 0x1.234568p-40F});
  EXPECT_TRUE(sum.doubt());
  // 8 and -8 leave less than rounding has lost, 2^-20, but that is only 2^-24 of their sizes.
  const Vector terms[] = {{0x1p31F, real{8} + 0x1p-20F, 0}, {0, -8, 0}};
  sum.begin(2, 0x1p31);
  for (const Vector& term : terms) sum.add(0, Support::all(), term);
  EXPECT_TRUE(sum.doubt());
  for (const Vector& term : terms) sum.inspect(0, Support::all(), term);
  EXPECT_EQ(sum.mark(), 0U);
  EXPECT_EQ(sum.finish()[1], 0.0);
  // Values that are not finite do not require it, and are passed through.
  sum.begin(1, std::numeric_limits<double>::infinity());
  sum.add(0, Support::all(), Vector{1, std::numeric_limits<real>::infinity(), 1e-30F});
  EXPECT_FALSE(sum.doubt());
  EXPECT_TRUE(std::isinf(sum.finish()[1]));
}

}  // namespace trilemma::exact_sum_spread_test
