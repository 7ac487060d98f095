#pragma once

#include <functional>

#include "core/support.hpp"

namespace trilemma {

/// Sums that are the same to the bit in any order of their terms. Every value is rounded to a
/// multiple of a unit before it is added, a power of two that is chosen so that all sums of these
/// multiples are exact in double: 2^(E + b - 51) where all values are smaller than 2^E, E a
/// multiple of 4, and there are at most 2^b terms. So the mean of 2^b terms is off by half a unit
/// at most, 2^(b - 48) of the largest value. With `fine` the rests are summed likewise, in units
/// 2^(52 - b) times smaller, which leaves 2^(2 b - 100) of it, and the rounding of the result.
/// Values below 2^-900 count as that large here; above about 2^(1000 - b), where sums may overflow,
/// they are summed as they come.
class ExactSum {
 public:
  explicit ExactSum(std::size_t dimension, bool fine)
      : sum_(dimension), rest_(fine ? dimension : 0) {}

  /// Starts anew at 0. No value will be larger in size than `largest`. Where that is not finite, so
  /// are the sums, in an order of their own.
  void begin(std::size_t terms, double largest);
  /// Adds the values to the sums number first + j for all j of `at`. Returns largest_size(values).
  real add(std::size_t first, Support at, ConstView values);
  /// As begin() would do now: true where it was told a `largest` that leads to the same sums.
  bool began_as(std::size_t terms, double largest) const;
  /// The sums, once; valid until the next begin, and may be changed. `combine`, unless empty, may
  /// first add what others have summed under the same begin(), to one or two vectors of the length
  /// of the sums: these additions are exact too.
  std::span<double> finish(const std::function<void(std::span<double>)>& combine = {});

 private:
  std::vector<double> sum_, rest_;
  /// What rounds to a multiple of the unit when it is added; 0 = values are summed as they come.
  struct Shifts {
    double value = 0, rest = 0;
    bool operator==(const Shifts&) const = default;
  };
  static Shifts shifts(std::size_t terms, double largest);

  Shifts shift_;
};

}  // namespace trilemma
