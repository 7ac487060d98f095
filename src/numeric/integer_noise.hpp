#pragma once
// Keyed random integers for mechanisms that add integer noise: symmetric noise from a table of its
// law, and random rounding to integers. Like all numbers of a stream they are addressed, so any
// subset can be drawn in any order.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "numeric/random.hpp"

namespace trilemma {

/// Law of symmetric noise X on the integers: thresholds t_k = P[|X| <= k], k = 0, 1, ..., rounded
/// to multiples of 2^-127, up to the first above 1 - 2^-126. A number u uniform on the multiples of
/// 2^-127 in [0, 1) stands for |X| = the number of thresholds t_k <= u. The total variation
/// distance of this law to the law of X is below 2^-110: 2^-111 for the rounding of 2^17 thresholds
/// and 2^-126 for the values beyond the last one.
class IntegerNoiseTable {
 public:
  static constexpr std::size_t most_entries = std::size_t{1} << 17U;

  /// A multiple of 2^-127: upper 2^-63 + lower 2^-127.
  struct Threshold {
    std::uint64_t upper = 0;
    std::uint64_t lower = 0;
    bool operator==(const Threshold&) const = default;
  };

  /// Returns the table of discrete Gaussian noise, P[X = k] proportional to exp(-k^2 / (2 sigma^2))
  /// (Canonne, Kamath and Steinke 2020), from sums with 100 digits. A UserError refuses sigma below
  /// 0.01 and tables of more than most_entries thresholds, which sigma above 10,100 needs.
  static IntegerNoiseTable discrete_gaussian(double sigma);
  /// Returns in the same way the table of Skellam noise of variance V = sigma^2, the difference of
  /// two Poisson(V/2), P[X = k] = e^-V I_|k|(V). The recurrence I_{k-1} = I_{k+1} + (2 k / V) I_k
  /// yields the Bessel functions from large k down (Miller), up to a factor.
  static IntegerNoiseTable skellam(double sigma);
  /// Takes ascending thresholds of at most 1, so that tests can choose them.
  explicit IntegerNoiseTable(std::vector<Threshold> thresholds);

  /// Returns the thresholds t_0, t_1, ...
  const std::vector<Threshold>& thresholds() const { return threshold_; }

  /// Returns |X| for the number upper 2^-63 + more() 2^-127. `more` is called only if `upper`
  /// equals that of a threshold, which has a probability of at most 2^-46.
  template <class More>
  std::int64_t magnitude(std::uint64_t upper, const More& more) const {
    const std::uint64_t place = upper >> shift_;
    const auto end = threshold_.begin() + guide_[place + 1];
    auto at = std::partition_point(threshold_.begin() + guide_[place], end,
                                   [upper](const Threshold& t) { return t.upper < upper; });
    if (at != end && at->upper == upper) {
      const std::uint64_t rest = more();
      while (at != end && at->upper == upper && at->lower <= rest) ++at;
    }
    return at - threshold_.begin();
  }

 private:
  std::vector<Threshold> threshold_;
  unsigned shift_ = 0;
  /// guide_[p] is the number of thresholds with upper < p << shift_.
  std::vector<std::uint32_t> guide_;
};

/// Writes numbers `first`, first + 1, ... of a stream of integer noise. Number i takes 64 bits,
/// words 4 (i/2) + 2 (i%2) and the next one: the lowest bit is the sign and the others are the
/// upper digits of u. The lower 64 digits, where they are needed, are the first two words of block
/// i of the same key with tail_flag in its purpose, which no other number uses.
void integer_noise(const IntegerNoiseTable& table, const Key& key, std::uint32_t first,
                   std::span<std::int64_t> out);

/// Sets out[j] to number at[j] of the stream, bit-identical to integer_noise().
void integer_noise_at(const IntegerNoiseTable& table, const Key& key, Coordinates at,
                      std::span<std::int64_t> out);

/// Most attempts of round_within().
inline constexpr std::uint32_t most_rounding_tries = 10'000;

/// Rounds y = scale * x at random to integers, v_j = floor(y_j) + [u_j < y_j - floor(y_j)] with
/// independent uniform u_j, repeated until sum_j v_j^2 <= bound_squared (conditional randomized
/// rounding: Kairouz, Liu and Steinke, 2102.06387). Returns the number of tries. E[v_j] = y_j up to
/// 2^-33, the resolution of u_j, if the first try is always accepted; the condition moves the mean.
/// Try t uses the stream of `key` with t in bits 8 to 21 of the purpose. Throws RunFailure if some
/// |y_j| is not below 2^31, and after most_rounding_tries tries. bound_squared < 2^62.
std::uint32_t round_within(ConstView x, double scale, std::int64_t bound_squared, const Key& key,
                           std::span<std::int64_t> out);

}  // namespace trilemma
