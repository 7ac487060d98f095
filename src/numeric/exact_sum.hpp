#pragma once

#include <functional>

#include "base/support.hpp"
#include "numeric/close_look.hpp"

namespace trilemma {

/// Sums of vectors whose bits do not depend on the order of the terms. Every value is rounded to a
/// multiple of a unit before it is added. The unit is a power of two for which all sums of such
/// multiples are exact in double: 2^(E + b - 51) if all values are smaller than 2^E, E a multiple
/// of 4, and there are at most 2^b terms. The mean of 2^b terms is therefore off by at most half a
/// unit, 2^(b - 48) of the largest value. With `fine`, the remainders are summed in the same way in
/// units 2^(52 - b) times smaller, which reduces the error to 2^(2 b - 100) of the largest value,
/// plus the rounding of the result.
///
/// This error may be large for a coordinate whose values are all small. Where rounding loses more
/// of the sum of a coordinate than (b + 1) 2^-24 of the magnitudes of the rounded values (the bound
/// for pairwise summation of floats), or with `fine` more than 2^-52 of them, the lost part is
/// added to the result. So every sum is off by at most (b + 1) 2^-23 of the sum of the magnitudes
/// of its own values (2^-50 with `fine`), however large other coordinates are; where rounding to
/// the unit is precise enough, nothing else is done. The lost part, and the decision whether it is
/// too large, come from sums of their own, which do not depend on the order either. They need a
/// second pass over the terms; doubt() returns whether any coordinate may need it.
///
/// Values below 2^-900 are treated as if they were 2^-900; values above about 2^(1000 - b), whose
/// sums may overflow, are summed without rounding, in the order in which they come.
class ExactSum {
 public:
  explicit ExactSum(std::size_t dimension, bool fine)
      : sum_(dimension), rest_(fine ? dimension : 0), inexact_(dimension / rounded_together + 1) {}

  /// Starts a new sum of `terms` terms at 0. No value may be larger in magnitude than `largest`. If
  /// `largest` is not finite, neither are the sums, and they depend on the order.
  void begin(std::size_t terms, double largest);
  /// Adds `values` to the sums at coordinates first + j for all j in `at`. Returns
  /// largest_size(values).
  real add(std::size_t first, Support at, ConstView values);
  /// Returns whether begin(terms, largest) would lead to the same units as the last call of
  /// begin().
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

  /// Returns the sums, once per begin(); they are valid until the next begin() and may be changed.
  /// Unless it is empty, `combine` is called first to add the sums of other ranks, made under the
  /// same begin(), to one or two vectors of the length of the sums, and after use_depth() to one
  /// more vector, made under the same marks and depth. These additions are exact too.
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
  std::size_t added_ = 0;              ///< number of terms
  std::vector<std::uint32_t> blocks_;  ///< blocks of a term that rounding has changed
  std::vector<unsigned char>
      inexact_;              ///< per run of coordinates: whether rounding has changed a term
  bool is_inexact_ = false;  ///< whether any run is inexact
  CloseLook close_;
  std::vector<std::uint64_t> marks_;
  std::size_t depth_ = 0;  ///< common to all ranks; 0 before use_depth()
};

}  // namespace trilemma
