#include <algorithm>

#include "base/check.hpp"
#include "numeric/vmath.hpp"
#include "problem/kernels/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/softmax_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void one_record(View logits) {
  const real top = *std::max_element(logits.begin(), logits.end());
  real sum = 0;
  for (auto& logit : logits) logit = vmath::exp(logit - top);
  for (const real part : logits) sum += part;
  for (auto& part : logits) part /= sum;
}

void columns(View logits, std::size_t stride, std::size_t classes) {
  constexpr std::size_t lanes = softmax_lanes;  // the same order of sums for every register width
  const hn::CappedTag<real, lanes> registers;
  alignas(64) real top[lanes];
  alignas(64) real sum[lanes];
  for (std::size_t first = 0; first < stride; first += lanes) {
    const auto row = [&](std::size_t c) HWY_ATTR { return logits.data() + c * stride + first; };
    for (std::size_t l = 0; l < lanes; l += hn::Lanes(registers)) {
      auto most = hn::LoadU(registers, row(0) + l);
      for (std::size_t c = 1; c < classes; ++c)
        most = hn::Max(most, hn::LoadU(registers, row(c) + l));
      hn::Store(most, registers, top + l);
    }
    std::fill_n(sum, lanes, real{0});
    for (std::size_t c = 0; c < classes; ++c) {
      real* const logit = row(c);
      for (std::size_t l = 0; l < lanes; ++l) {
        logit[l] = vmath::exp(logit[l] - top[l]);
        sum[l] += logit[l];
      }
    }
    for (std::size_t l = 0; l < lanes; l += hn::Lanes(registers)) {
      const auto share = hn::Div(hn::Set(registers, real{1}), hn::Load(registers, sum + l));
      for (std::size_t c = 0; c < classes; ++c)
        hn::StoreU(hn::Mul(hn::LoadU(registers, row(c) + l), share), registers, row(c) + l);
    }
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(one_record);
HWY_EXPORT(columns);

void softmax(View logits) { HWY_DYNAMIC_DISPATCH(one_record)(logits); }

void softmax_columns(View logits, std::size_t stride, std::size_t classes) {
  expect(stride % softmax_lanes == 0, "softmax of columns that are not padded");
  HWY_DYNAMIC_DISPATCH(columns)(logits, stride, classes);
}

}  // namespace trilemma
#endif
