#pragma once

#include <functional>

#include "base/support.hpp"
#include "numeric/close_look.hpp"

namespace trilemma {

/// Sums that are the same to the bit in any order of their terms. Every value is rounded to a
/// multiple of a unit before it is added, a power of two that is chosen so that all sums of these
/// multiples are exact in double: 2^(E + b - 51) where all values are smaller than 2^E, E a
/// multiple of 4, and there are at most 2^b terms. So the mean of 2^b terms is off by half a unit
/// at most, 2^(b - 48) of the largest value. With `fine` the rests are summed likewise, in units
/// 2^(52 - b) times smaller, which leaves 2^(2 b - 100) of it, and the rounding of the result.
///
/// That may be much for a coordinate whose values are all small. Where rounding loses more of the
/// sum of a coordinate than (b + 1) 2^-24 of the magnitudes of the rounded values, the bound for
/// pairwise summation of floats, and with `fine` more than 2^-52 of them, the lost part is added to
/// the result. So every sum is off by at most (b + 1) 2^-23 of the sum of the magnitudes of its own
/// values (2^-50 with `fine`), however large those of other coordinates are; and where rounding to
/// the unit is precise enough, nothing else is done. The lost part, and the decision whether it is
/// too large, come from sums of their own, which do not depend on the order either. They need a
/// second pass over the terms, for which doubt() asks where a coordinate may need it.
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

  /// Returns, after the last term, whether rounding may have lost too much of some sums. If so,
  /// inspect() must be called for each term before finish().
  bool doubt();
  /// Takes a term of the second pass. Returns false once no further term is needed.
  bool inspect(std::size_t first, Support at, ConstView values) {
    return close_.add(first, at, values);
  }

  /// For sums whose terms are spread over ranks: marks, after inspect(), the coordinates of which
  /// rounding has lost too much of the terms added here. Returns whether there are any.
  bool mark();
  /// Returns these marks, a bit for each coordinate. The marks of other ranks are to be added to
  /// them.
  std::span<std::uint64_t> marks() { return marks_; }
  /// Starts the second pass again for all marked coordinates; all terms must be given to inspect()
  /// again.
  void inspect_again();
  /// Returns, after these inspect() calls, the number of layers that the lost parts of the terms
  /// added here need (CloseLook), 1 or more.
  std::size_t depth() const { return close_.depth(); }
  /// Sets the largest depth() of all ranks, before finish().
  void use_depth(std::size_t depth) { depth_ = depth; }

  /// The sums, once; valid until the next begin, and may be changed. `combine`, unless empty, may
  /// first add what others have summed under the same begin(), to one or two vectors of the length
  /// of the sums, and after use_depth() under the same marks and depth, to one more: these
  /// additions are exact too.
  std::span<double> finish(const std::function<void(std::span<double>)>& combine = {});

 private:
  static constexpr std::size_t rounded_together = 128;
  bool is_fine() const { return !rest_.empty(); }
  /// Returns the largest share of the magnitudes of a sum that rounding may lose.
  double precision() const { return is_fine() ? 0x1p-52 : (53 - units_.digits) * 0x1p-24; }
  /// Returns the sum of magnitudes from which on rounding of the terms added here loses at most
  /// that share.
  double enough() const;
  void mark_inexact(std::size_t first, Support at, ConstView values, std::size_t blocks);
  void add_rests(const std::vector<double>& table, std::size_t depth);

  std::vector<double> sum_, rest_;
  SumUnits units_;
  std::size_t added_ = 0;               ///< terms
  std::vector<std::uint32_t> blocks_;   ///< blocks of a term that rounding has changed
  std::vector<unsigned char> inexact_;  ///< by run of coordinates: whether it has changed a term
  bool is_inexact_ = false;             ///< in any run
  CloseLook close_;
  std::vector<std::uint64_t> marks_;
  std::size_t depth_ = 0;  ///< common to all ranks; 0 before use_depth()
};

}  // namespace trilemma
