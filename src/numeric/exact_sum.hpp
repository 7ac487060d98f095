#pragma once

#include <functional>

#include "core/support.hpp"
#include "numeric/close_look.hpp"

namespace trilemma {

/// Sums that are the same to the bit in any order of their terms. Every value is rounded to a
/// multiple of a unit before it is added, a power of two that is chosen so that all sums of these
/// multiples are exact in double: 2^(E + b - 51) where all values are smaller than 2^E, E a
/// multiple of 4, and there are at most 2^b terms. So the mean of 2^b terms is off by half a unit
/// at most, 2^(b - 48) of the largest value. With `fine` the rests are summed likewise, in units
/// 2^(52 - b) times smaller, which leaves 2^(2 b - 100) of it, and the rounding of the result.
///
/// That may be much for a coordinate whose values are all small. Where what rounding takes from the
/// sum of a coordinate amounts to more than (b + 1) 2^-24 of the sizes of the rounded values, the
/// bound for floats that are added in pairs, and with `fine` to more than 2^-52 of them, it is
/// added to the result. So every sum is off by at most (b + 1) 2^-23 of the sum of the sizes of its
/// own values (2^-50 with `fine`), however large those of other coordinates are; and where rounding
/// to the unit is precise enough, nothing else is done. What has been taken, and whether it is too
/// much, are sums of their own, which do not depend on the order either. They need a second look at
/// the terms, for which doubt() asks where a coordinate may need it.
///
/// Values below 2^-900 count as that large here; above about 2^(1000 - b), where sums may overflow,
/// they are summed as they come.
class ExactSum {
 public:
  explicit ExactSum(std::size_t dimension, bool fine)
      : sum_(dimension), rest_(fine ? dimension : 0), inexact_(dimension / rounded_together + 1) {}

  /// Starts anew at 0. No value will be larger in size than `largest`. Where that is not finite, so
  /// are the sums, in an order of their own.
  void begin(std::size_t terms, double largest);
  /// Adds the values to the sums number first + j for all j of `at`. Returns largest_size(values).
  real add(std::size_t first, Support at, ConstView values);
  /// As begin() would do now: true where it was told a `largest` that leads to the same sums.
  bool began_as(std::size_t terms, double largest) const;

  /// After the last term: whether rounding may have taken too much from some sums. Then each term
  /// is due for look() before finish().
  bool doubt();
  /// Returns false once no further term needs to be looked at.
  bool look(std::size_t first, Support at, ConstView values) {
    return close_.add(first, at, values);
  }

  /// Where others have terms of the same sums: after the looks, marks the coordinates of which
  /// rounding has taken too much by the terms that were added here. Returns the number of layers
  /// that what was taken needs (CloseLook); 0 = there are none.
  std::size_t mark();
  /// These marks, a bit for each coordinate. Those of others are to be added to them.
  std::span<std::uint64_t> marks() { return marks_; }
  /// Starts the look again, at all that is marked, where `depth` is the largest that anybody has;
  /// again all terms are due. With 0 there is nothing to look at.
  void look_again(std::size_t depth);

  /// The sums, once; valid until the next begin, and may be changed. `combine`, unless empty, may
  /// first add what others have summed under the same begin(), to one or two vectors of the length
  /// of the sums, and after look_again() under the same marks and depth, to one more: these
  /// additions are exact too.
  std::span<double> finish(const std::function<void(std::span<double>)>& combine = {});

 private:
  static constexpr std::size_t rounded_together = 128;
  bool is_fine() const { return !rest_.empty(); }
  /// The largest share of the sizes of a sum that rounding may take.
  double precision() const { return is_fine() ? 0x1p-52 : (53 - units_.digits) * 0x1p-24; }
  /// The sum of sizes from which on rounding the terms added here takes no more than that.
  double enough() const;
  void note_inexact(std::size_t first, Support at, ConstView values, std::size_t blocks);
  void add_rests(const std::vector<double>& table, std::size_t depth);

  std::vector<double> sum_, rest_;
  SumUnits units_;
  std::size_t added_ = 0;               ///< terms
  std::vector<std::uint32_t> blocks_;   ///< of a term, of which rounding has left something
  std::vector<unsigned char> inexact_;  ///< for runs of coordinates: whether it has of any term
  bool is_inexact_ = false;             ///< in any run
  CloseLook close_;
  std::vector<std::uint64_t> marks_;
  std::size_t depth_ = 0;  ///< that others have, too; 0 before look_again()
};

}  // namespace trilemma
