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

// (x + shift) - shift is the nearest multiple of the unit for all x of up to 2^51 units, since the
// sum in brackets lies where doubles are one unit apart.
HWY_INLINE double rounded(double x, double shift) { return (x + shift) - shift; }

// The coordinates are all, or those of a list.
struct All {
  HWY_INLINE std::size_t operator[](std::size_t i) const { return i; }
};

template <class At>
HWY_INLINE SizePattern add_coarse(double shift, ConstView values, At at, double* sum) {
  SizePattern largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, size_pattern(values[i]));
    sum[at[i]] += rounded(static_cast<double>(values[i]), shift);
  }
  return largest;
}

template <class At>
HWY_INLINE SizePattern add_both(const std::array<double, 2>& shift, ConstView values, At at,
                                double* sum, double* rest) {
  SizePattern largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, size_pattern(values[i]));
    const auto value = static_cast<double>(values[i]);
    const double coarse = rounded(value, shift[0]);
    sum[at[i]] += coarse;
    rest[at[i]] += rounded(value - coarse, shift[1]);
  }
  return largest;
}

}  // namespace

real add_once(double shift, ConstView values, Support at, double* sum) {
  return std::bit_cast<real>(at.is_all() ? add_coarse(shift, values, All{}, sum)
                                         : add_coarse(shift, values, at.list().data(), sum));
}

real add_twice(const std::array<double, 2>& shift, ConstView values, Support at, double* sum,
               double* rest) {
  return std::bit_cast<real>(at.is_all() ? add_both(shift, values, All{}, sum, rest)
                                         : add_both(shift, values, at.list().data(), sum, rest));
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(add_once);
HWY_EXPORT(add_twice);

real add_rounded(double shift, ConstView values, Support at, double* sum) {
  return HWY_DYNAMIC_DISPATCH(add_once)(shift, values, at, sum);
}

real add_rounded(const std::array<double, 2>& shift, ConstView values, Support at, double* sum,
                 double* rest) {
  return HWY_DYNAMIC_DISPATCH(add_twice)(shift, values, at, sum, rest);
}

}  // namespace trilemma
#endif
