#include <algorithm>

#include "problem/convolution.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

void pool_row(const Convolution& c, const real* upper, const real* lower, real* out) {
  const std::size_t n = c.outputs;
  for (std::size_t j = 0; j < c.pooled_width(); ++j, upper += 2 * n, lower += 2 * n, out += n)
    for (std::size_t o = 0; o < n; ++o) {
      real largest{0};
      for (const real one : {upper[o], upper[n + o], lower[o], lower[n + o]})
        largest = one > largest ? one : largest;
      out[o] = largest;
    }
}

void unpool_row(const Convolution& c, const real* pooled, real* upper, real* lower) {
  const std::size_t n = c.outputs;
  for (std::size_t j = 0; j < c.pooled_width(); ++j, upper += 2 * n, lower += 2 * n, pooled += n)
#pragma GCC ivdep  // the four places of a map never are those of another
    for (std::size_t o = 0; o < n; ++o) {
      const real first = upper[o];
      const real second = upper[n + o];
      const real third = lower[o];
      const real fourth = lower[n + o];
      const real of_two = second > first ? second : first;
      const real of_three = third > of_two ? third : of_two;
      const real largest = fourth > of_three ? fourth : of_three;
      const real error = largest > real{0} ? pooled[o] : real{0};
      const real up_to_three = fourth > of_three ? real{0} : error;
      const real up_to_two = third > of_two ? real{0} : up_to_three;
      lower[n + o] = fourth > of_three ? error : real{0};
      lower[o] = third > of_two ? up_to_three : real{0};
      upper[n + o] = second > first ? up_to_two : real{0};
      upper[o] = second > first ? real{0} : up_to_two;
    }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(pool_row);
HWY_EXPORT(unpool_row);

void pool(const Convolution& c, ConstView maps, View out) {
  const std::size_t across = c.out_width() * c.outputs;
  for (std::size_t i = 0; i < c.pooled_height(); ++i) {
    const real* upper = maps.data() + 2 * i * across;
    HWY_DYNAMIC_DISPATCH(pool_row)
    (c, upper, upper + across, out.data() + i * c.pooled_width() * c.outputs);
  }
}

void unpool(const Convolution& c, ConstView pooled_errors, View maps) {
  const std::size_t across = c.out_width() * c.outputs;
  // Rows and columns that pooling has dropped have no part in the loss.
  if (c.out_height() % 2 != 0) std::fill_n(&maps[(c.out_height() - 1) * across], across, real{0});
  if (c.out_width() % 2 != 0)
    for (std::size_t i = 1; i <= c.out_height(); ++i)
      std::fill_n(&maps[i * across - c.outputs], c.outputs, real{0});
  for (std::size_t i = 0; i < c.pooled_height(); ++i) {
    real* upper = maps.data() + 2 * i * across;
    HWY_DYNAMIC_DISPATCH(unpool_row)
    (c, pooled_errors.data() + i * c.pooled_width() * c.outputs, upper, upper + across);
  }
}

}  // namespace trilemma
#endif
