#include "problem/kernels/convolution.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

void pool_row(const Convolution& c, const real* upper, const real* lower, real* pooled,
              real* places) {
  const std::size_t n = c.outputs;
  for (std::size_t j = 0; j < c.pooled_width(); ++j) {
#pragma GCC ivdep  // maps, pooled values and places never overlap
    for (std::size_t o = 0; o < n; ++o) {
      const real first = upper[o];
      const real second = upper[n + o];
      const real third = lower[o];
      const real fourth = lower[n + o];
      const real of_two = second > first ? second : first;
      const real of_three = third > of_two ? third : of_two;
      const real largest = fourth > of_three ? fourth : of_three;
      const real up_to_two = second > first ? real{1} : real{0};
      const real up_to_three = third > of_two ? real{2} : up_to_two;
      places[o] = fourth > of_three ? real{3} : up_to_three;
      pooled[o] = largest > real{0} ? largest : real{0};
    }
    upper += 2 * n;
    lower += 2 * n;
    pooled += n;
    places += n;
  }
}

void pass(std::size_t count, const real* pooled, const real* pooled_errors, real* errors) {
#pragma GCC ivdep  // errors do not overlap the inputs
  for (std::size_t v = 0; v < count; ++v)
    errors[v] = pooled[v] > real{0} ? pooled_errors[v] : real{0};
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(pool_row);
HWY_EXPORT(pass);

void pool(const Convolution& c, ConstView maps, View pooled, View places) {
  const std::size_t across = c.out_width() * c.outputs;
  const std::size_t row = c.pooled_width() * c.outputs;
  for (std::size_t i = 0; i < c.pooled_height(); ++i) {
    const real* upper = maps.data() + 2 * i * across;
    HWY_DYNAMIC_DISPATCH(pool_row)
    (c, upper, upper + across, pooled.data() + i * row, places.data() + i * row);
  }
}

void pass_positive(ConstView pooled, ConstView pooled_errors, View errors) {
  HWY_DYNAMIC_DISPATCH(pass)
  (pooled.size(), pooled.data(), pooled_errors.data(), errors.data());
}

}  // namespace trilemma
#endif
