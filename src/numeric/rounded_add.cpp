#include "numeric/rounded_add.hpp"

#include <algorithm>

#include "numeric/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/rounded_add.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

// (x + shift) - shift is the multiple of the unit nearest to x if |x| <= 2^51 units, since the sum
// in parentheses lies where doubles are one unit apart.
HWY_INLINE double rounded(double x, double shift) { return (x + shift) - shift; }

// Stands for a list of all coordinates.
struct All {
  HWY_INLINE std::size_t operator[](std::size_t i) const { return i; }
};

// Calls add(i, value) for each value; it adds the value and returns the remainder after rounding.
template <class Add>
HWY_INLINE RoundedAdd add_in_blocks(ConstView values, std::uint32_t* inexact, Add add) {
  SizePattern largest = 0;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += rounding_block) {
    const std::size_t end = std::min(begin + rounding_block, values.size());
    std::uint64_t left = 0;
    for (std::size_t i = begin; i < end; ++i) {
      largest = std::max(largest, size_pattern(values[i]));
      left |= std::bit_cast<std::uint64_t>(add(i, static_cast<double>(values[i])));
    }
    inexact[count] = static_cast<std::uint32_t>(begin / rounding_block);
    count += left << 1U != 0 ? 1U : 0U;  // ignores the sign bit, which a zero may have
  }
  return {std::bit_cast<real>(largest), count};
}

template <class At>
HWY_INLINE RoundedAdd add_coarse(double shift, ConstView values, At at, double* sum,
                                 std::uint32_t* inexact) {
  return add_in_blocks(values, inexact, [=](std::size_t i, double value) HWY_ATTR {
    const double coarse = rounded(value, shift);
    sum[at[i]] += coarse;
    return value - coarse;
  });
}

template <class At>
HWY_INLINE RoundedAdd add_both(const std::array<double, 2>& shift, ConstView values, At at,
                               double* sum, double* rest, std::uint32_t* inexact) {
  return add_in_blocks(values, inexact, [=](std::size_t i, double value) HWY_ATTR {
    const double coarse = rounded(value, shift[0]);
    const double fine = rounded(value - coarse, shift[1]);
    sum[at[i]] += coarse;
    rest[at[i]] += fine;
    return value - coarse - fine;
  });
}

}  // namespace

RoundedAdd add_once(double shift, ConstView values, Support at, double* sum,
                    std::uint32_t* inexact) {
  return at.is_all() ? add_coarse(shift, values, All{}, sum, inexact)
                     : add_coarse(shift, values, at.list().data(), sum, inexact);
}

RoundedAdd add_twice(const std::array<double, 2>& shift, ConstView values, Support at, double* sum,
                     double* rest, std::uint32_t* inexact) {
  return at.is_all() ? add_both(shift, values, All{}, sum, rest, inexact)
                     : add_both(shift, values, at.list().data(), sum, rest, inexact);
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(add_once);
HWY_EXPORT(add_twice);

RoundedAdd add_rounded(double shift, ConstView values, Support at, double* sum,
                       std::uint32_t* inexact) {
  return HWY_DYNAMIC_DISPATCH(add_once)(shift, values, at, sum, inexact);
}

RoundedAdd add_rounded(const std::array<double, 2>& shift, ConstView values, Support at,
                       double* sum, double* rest, std::uint32_t* inexact) {
  return HWY_DYNAMIC_DISPATCH(add_twice)(shift, values, at, sum, rest, inexact);
}

}  // namespace trilemma
#endif
