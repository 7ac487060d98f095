// Integer noise and rounding to integers (src/numeric/integer_noise.hpp): thresholds to the last
// bit, places of the words, laws.

#include "numeric/integer_noise.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "numeric/secret.hpp"
#include "privacy/accountant/integer_noise.hpp"
#include "tests/support/secrets.hpp"
#include "tests/support/statistics.hpp"

namespace trilemma::integer_noise_test {

using Exact = boost::multiprecision::cpp_dec_float_100;
using Integer = boost::multiprecision::cpp_int;
using accounting::IntegerLaw;
using Threshold = IntegerNoiseTable::Threshold;

constexpr Key key{2026, Purpose::noise, 3, 14};

IntegerNoiseTable table_of(IntegerLaw law, double sigma) {
  return law == IntegerLaw::skellam ? IntegerNoiseTable::skellam(sigma)
                                    : IntegerNoiseTable::discrete_gaussian(sigma);
}

// P[X = k] up to a factor, by its definition and the power series of I_k.
Exact weight(IntegerLaw law, double sigma, int k) {
  const Exact v = Exact(sigma) * sigma;
  if (law == IntegerLaw::discrete_gaussian) return exp(-Exact(k) * k / (2 * v));
  Exact term = 1;
  for (int i = 1; i <= k; ++i) term *= v / 2 / i;
  Exact sum = 0;
  for (int m = 1; term > sum * Exact("1e-98") || m < sigma * sigma; ++m) {
    sum += term;
    term *= v * v / 4 / m / (m + k);
  }
  return sum;
}

// P[|X| <= k], k = 0, ..., most.
std::vector<Exact> exact_law(IntegerLaw law, double sigma, int most) {
  std::vector<Exact> sums;
  for (int k = 0; k <= most; ++k)
    sums.push_back(weight(law, sigma, k) * (k == 0 ? 1 : 2) + (k == 0 ? Exact(0) : sums.back()));
  for (Exact& p : sums) p /= sums[static_cast<std::size_t>(most)];
  return sums;
}

struct Case {
  IntegerLaw law;
  double sigma;
};
constexpr Case cases[] = {
    {IntegerLaw::discrete_gaussian, 0.05}, {IntegerLaw::discrete_gaussian, 0.7},
    {IntegerLaw::discrete_gaussian, 4.25}, {IntegerLaw::discrete_gaussian, 30},
    {IntegerLaw::skellam, 0.05},           {IntegerLaw::skellam, 0.7},
    {IntegerLaw::skellam, 4.25},           {IntegerLaw::skellam, 12}};

// --- Thresholds -------------------------------------------------------------------------------

TEST(IntegerNoiseTable, ThresholdsAreExactToTheLastBit) {
  for (const auto& [law, sigma] : cases) {
    const IntegerNoiseTable table = table_of(law, sigma);
    const auto& found = table.thresholds();
    const auto size = static_cast<int>(found.size());
    const auto exact = exact_law(law, sigma, static_cast<int>(2 * size + 60));
    const Exact last = 1 - ldexp(Exact(1), -126);
    for (int k = 0; k < size; ++k) {
      const Exact& p = exact[static_cast<std::size_t>(k)];
      const Integer wanted(Integer(floor(ldexp(p, 127) + Exact(0.5))));
      const Threshold& t = found[static_cast<std::size_t>(k)];
      EXPECT_EQ((Integer(t.upper) << 64U) + t.lower, wanted) << sigma << ' ' << k;
      EXPECT_EQ(p > last, k == size - 1) << sigma << ' ' << k;
    }
  }
}

// The accountants must mean the same law: 1 - t_k = 2 P[X >= k + 1].
TEST(IntegerNoiseTable, HasTheTailsOfTheAccountants) {
  for (const auto& [law, sigma] : cases) {
    const IntegerNoiseTable table = table_of(law, sigma);
    const auto& found = table.thresholds();
    const accounting::IntegerTails tails({law, sigma});
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Integer beyond =
          (Integer(1) << 127U) - (Integer(found[k].upper) << 64U) - found[k].lower;
      const double tail = std::ldexp(static_cast<double>(beyond), -128);
      if (tail < 1e-26) break;
      EXPECT_NEAR(tails.log_tail(static_cast<long>(k) + 1), std::log(tail), 1e-11);
    }
  }
}

TEST(IntegerNoiseTable, RefusesWhatDoesNotFit) {
  EXPECT_LE(IntegerNoiseTable::discrete_gaussian(10000).thresholds().size(), 131072U);
  EXPECT_GT(IntegerNoiseTable::discrete_gaussian(10000).thresholds().size(), 129000U);
  EXPECT_THROW(IntegerNoiseTable::discrete_gaussian(10200), UserError);
  EXPECT_THROW(IntegerNoiseTable::skellam(10200), UserError);
  for (const double sigma : {0.0, -1.0, 0.009, 1e300, std::nan("")}) {
    EXPECT_THROW(IntegerNoiseTable::discrete_gaussian(sigma), UserError) << sigma;
    EXPECT_THROW(IntegerNoiseTable::skellam(sigma), UserError) << sigma;
  }
}

// Thresholds 1/4, 1/4 + 2^-127, 1/2: the number of those at most u.
TEST(IntegerNoiseTable, MagnitudeByHand) {
  constexpr std::uint64_t quarter = std::uint64_t{1} << 61U;
  const IntegerNoiseTable table({{quarter, 0}, {quarter, 1}, {2 * quarter, 0}});
  const auto at = [&](std::uint64_t upper, std::uint64_t lower) {
    return table.magnitude(upper, [lower] { return lower; });
  };
  EXPECT_EQ(at(0, 5), 0);
  EXPECT_EQ(at(quarter - 1, ~std::uint64_t{0}), 0);
  EXPECT_EQ(at(quarter, 0), 1);
  EXPECT_EQ(at(quarter, 1), 2);
  EXPECT_EQ(at(quarter, ~std::uint64_t{0}), 2);
  EXPECT_EQ(at(quarter + 1, 0), 2);
  EXPECT_EQ(at(2 * quarter - 1, 7), 2);
  EXPECT_EQ(at(2 * quarter, 0), 3);
  EXPECT_EQ(at(4 * quarter - 1, 0), 3);
}

TEST(IntegerNoiseTable, MagnitudeCountsThresholds) {
  const IntegerNoiseTable table = IntegerNoiseTable::discrete_gaussian(5);
  Stream stream(key);
  for (int i = 0; i < 10'000; ++i) {
    std::uint64_t upper = (std::uint64_t{stream.word()} << 31U) | (stream.word() >> 1U);
    // As well near 1, where most thresholds are.
    if (i % 2 != 0) upper = (std::uint64_t{1} << 63U) - 1 - (upper >> (upper % 60));
    const auto& all = table.thresholds();
    const auto count = std::count_if(all.begin(), all.end(),
                                     [upper](const Threshold& t) { return t.upper < upper; });
    ASSERT_EQ(table.magnitude(upper, [] { return std::uint64_t{0}; }), count) << upper;
  }
}

// --- Numbers of a stream ----------------------------------------------------------------------

std::uint64_t bits_of(const Key& of, std::uint32_t block, std::uint32_t place) {
  std::uint32_t word[4];
  random_words(of, block, word);
  return (std::uint64_t{word[place + 1]} << 32U) | word[place];
}

TEST(IntegerNoiseStream, NumbersReadTheirOwnWords) {
  const IntegerNoiseTable table = IntegerNoiseTable::discrete_gaussian(100);
  std::vector<std::int64_t> out(1000);
  integer_noise(table, key, 0, out);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const std::uint64_t bits = bits_of(key, i / 2, 2 * (i % 2));
    const std::int64_t size = table.magnitude(bits >> 1U, [] { return std::uint64_t{0}; });
    ASSERT_EQ(out[i], bits % 2 != 0 ? -size : size) << i;
  }
}

TEST(IntegerNoiseStream, AnyOrderGivesTheSameBits) {
  const IntegerNoiseTable table = IntegerNoiseTable::skellam(40);
  const auto secret = testing::fixed_secret(7);
  Key hidden = key;
  hidden.secret = secret.get();
  for (const Key& of : {key, hidden}) {
    std::vector<std::int64_t> whole(777);
    integer_noise(table, of, 0, whole);
    for (const std::uint32_t first : {0U, 1U, 2U, 63U, 64U, 65U, 700U})
      for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 77U}) {
        std::vector<std::int64_t> part(count);
        integer_noise(table, of, first, part);
        ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first))
            << first << ' ' << count;
      }
    std::vector<std::uint32_t> at(whole.size());
    std::iota(at.rbegin(), at.rend(), 0U);
    std::rotate(at.begin(), at.begin() + 300, at.end());
    at.push_back(5);
    std::vector<std::int64_t> scattered(at.size());
    integer_noise_at(table, of, at, scattered);
    for (std::size_t j = 0; j < at.size(); ++j) ASSERT_EQ(scattered[j], whole[at[j]]) << at[j];
  }
}

// Tables with a threshold next to the number that is drawn, so that the extra bits decide: number i
// reads words 0 and 1 of block i of the key with the highest bit of its purpose set.
TEST(IntegerNoiseStream, TiesReadMoreBits) {
  const auto secret = testing::fixed_secret(9);
  Key hidden = key;
  hidden.secret = secret.get();
  for (const Key& of : {key, hidden})
    for (const std::uint32_t i : {0U, 5U, 64U, 1001U}) {
      const std::uint64_t bits = bits_of(of, i / 2, 2 * (i % 2));
      Key more_key = of;
      more_key.purpose =
          static_cast<Purpose>(0x80000000U + static_cast<std::uint32_t>(Purpose::noise));
      const std::uint64_t more = bits_of(more_key, i, 0);
      const std::int64_t sign = bits % 2 != 0 ? -1 : 1;
      const std::uint64_t upper = bits / 2;
      for (const std::int64_t passed : {0, 1, 2, 3}) {
        const auto lower = [&](std::int64_t k) {
          return more + static_cast<std::uint64_t>(k - passed + 1);
        };
        const IntegerNoiseTable table({{upper, lower(0)}, {upper, lower(1)}, {upper, lower(2)}});
        std::int64_t found = 77;
        integer_noise(table, of, i, {&found, 1});
        EXPECT_EQ(found, sign * passed) << i;
        integer_noise_at(table, of, std::vector{i}, {&found, 1});
        EXPECT_EQ(found, sign * passed) << i;
      }
    }
}

// Chi-square over all values with at least 10 expected draws and the two rests, at level 1e-6.
TEST(IntegerNoiseStream, HasItsLaw) {
  constexpr std::size_t draws = 1U << 19U;
  std::vector<std::int64_t> out(draws);
  for (const auto& [law, sigma] : cases) {
    integer_noise(table_of(law, sigma), key, 1, out);
    const auto sums = exact_law(law, sigma, static_cast<int>(14 * sigma) + 30);
    const auto mass = [&](std::int64_t k) {  // of |X| = k
      const auto i = static_cast<std::size_t>(k);
      return (k == 0 ? sums[0] : Exact(sums[i] - sums[i - 1])).convert_to<double>();
    };
    std::int64_t end = 0;  // of the values that are counted one by one
    while (draws * mass(end + 1) / 2 >= 10) ++end;
    std::vector<double> count(static_cast<std::size_t>(2 * end + 3));
    for (const std::int64_t x : out)
      ++count[static_cast<std::size_t>(std::clamp(x, -end - 1, end + 1) + end + 1)];
    double rest = 1;
    for (std::int64_t k = 0; k <= end; ++k) rest -= mass(k);
    double chi = 0;
    double cells = 0;
    for (std::int64_t k = -end - 1; k <= end + 1; ++k) {
      const double p = std::abs(k) > end ? rest / 2 : k == 0 ? mass(0) : mass(std::abs(k)) / 2;
      const double found = count[static_cast<std::size_t>(k + end + 1)];
      if (draws * p < 1) {  // 20 draws of at most one expected have a probability below 1e-18
        EXPECT_LT(found, 20);
        continue;
      }
      ++cells;
      chi += (found - draws * p) * (found - draws * p) / (draws * p);
    }
    if (cells < 2) continue;
    const boost::math::chi_squared chi_law(cells - 1);
    EXPECT_LT(chi, quantile(complement(chi_law, 1e-6))) << sigma;
    EXPECT_GT(chi, quantile(chi_law, 1e-6)) << sigma;
  }
}

// --- Rounding ---------------------------------------------------------------------------------

constexpr std::int64_t no_bound = std::int64_t{1} << 61U;

TEST(RoundWithin, IsUnbiased) {
  const Vector x{0.0, 1.0, -3.0, 0.125, -0.125, 0.5, 2.75, -7.9375, 1000.25, -0.015625};
  constexpr double scale = 1.5;
  std::vector<testing::Sample> mean(x.size());
  std::vector<std::int64_t> v(x.size());
  for (std::uint32_t round = 0; round < 40'000; ++round) {
    ASSERT_EQ(round_within(x, scale, no_bound, {5, Purpose::rounding, 0, round}, v), 1U);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double y = scale * static_cast<double>(x[j]);
      ASSERT_TRUE(static_cast<double>(v[j]) == std::floor(y) ||
                  static_cast<double>(v[j]) == std::ceil(y));
      mean[j].add(static_cast<double>(v[j]));
    }
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double y = scale * static_cast<double>(x[j]);
    const double share = y - std::floor(y);
    EXPECT_LE(std::abs(mean[j].mean() - y), 4 * std::sqrt(share * (1 - share) / 40'000)) << y;
  }
}

// Of (1/2, 1/2) within norm 1, only (1, 1) is refused: the others have probability 1/3 each, and a
// vector takes 4/3 tries. The condition moves the mean from 1/2 to 1/3.
TEST(RoundWithin, RepeatsUntilTheNormIsSmall) {
  const Vector x{0.25, 0.25};
  constexpr int rounds = 30'000;
  int count[3] = {};
  testing::Sample tries;
  std::vector<std::int64_t> v(2);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    tries.add(round_within(x, 2, 1, {6, Purpose::rounding, 1, round}, v));
    ASSERT_LE(v[0] + v[1], 1);
    ++count[v[0] + 2 * v[1]];
  }
  for (const int c : count) EXPECT_NEAR(c, rounds / 3.0, 5 * std::sqrt(rounds * 2.0 / 9));
  testing::expect_mean(tries, 4.0 / 3);
}

// Try t reads the words of the key with t in bits 8 to 21 of its purpose.
TEST(RoundWithin, TriesHaveStreamsOfTheirOwn) {
  std::vector<std::int64_t> v(300);
  const Vector x(v.size(), real(0.25));
  std::uint32_t most = 0;
  for (std::uint32_t round = 0; round < 200; ++round) {
    const Key of{7, Purpose::rounding, 2, round};
    const std::uint32_t tries = round_within(x, 1, 70, of, v);
    most = std::max(most, tries);
    for (std::uint32_t t = 1; t <= tries; ++t) {
      Key own = of;
      own.purpose = static_cast<Purpose>(11U + 256U * t);
      std::vector<std::uint32_t> word(v.size());
      random_words(own, 0, word);
      std::vector<std::int64_t> wanted(v.size());
      for (std::size_t j = 0; j < v.size(); ++j) wanted[j] = word[j] < 0x40000000U ? 1 : 0;
      const std::int64_t norm = std::accumulate(wanted.begin(), wanted.end(), std::int64_t{0});
      ASSERT_EQ(norm <= 70, t == tries) << round << ' ' << t;
      ASSERT_TRUE(t < tries || v == wanted) << round;
    }
  }
  EXPECT_GT(most, 3U);
}

// d = 256, S C = 34.7631, B^2 = 1315: an attempt succeeds with probability at least .39, and
// vectors of norm C take 1.02 to 1.13 tries.
TEST(RoundWithin, TriesOfPublishedBounds) {
  std::vector<std::int64_t> v(256);
  Vector x(v.size());
  std::vector<double> number(v.size());
  testing::Sample tries;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    normals({8, Purpose::data, 0, round}, 0, number);
    const double norm =
        std::sqrt(std::inner_product(number.begin(), number.end(), number.begin(), 0.0));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<real>(10 * number[j] / norm);
    tries.add(round_within(x, 3.47631, 1315, {8, Purpose::rounding, 0, round}, v));
    std::int64_t squares = 0;
    for (const std::int64_t each : v) squares += each * each;
    ASSERT_LE(squares, 1315);
  }
  EXPECT_GT(tries.mean(), 1.0);
  EXPECT_LT(tries.mean(), 1.15);
}

TEST(RoundWithin, Refusals) {
  std::vector<std::int64_t> v(1);
  EXPECT_EQ(round_within(Vector{1}, 1, 1, key, v), 1U);
  EXPECT_THROW(round_within(Vector{1}, 1, 0, key, v), RunFailure);  // never accepted
  EXPECT_THROW(round_within(Vector{1}, 0x1p31, no_bound, key, v), RunFailure);
  EXPECT_THROW(round_within(Vector{real(std::nan(""))}, 1, no_bound, key, v), RunFailure);
  EXPECT_EQ(round_within(Vector{-1}, 0x1p31 - 1, no_bound * 2 - 1, key, v), 1U);
  EXPECT_EQ(v[0], -2147483647);
}

}  // namespace trilemma::integer_noise_test
