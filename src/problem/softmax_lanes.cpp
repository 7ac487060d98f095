#include <algorithm>
#include <limits>

#include "numeric/vmath.hpp"
#include "problem/cross_entropy.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/softmax_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

void one_record(View logits) {
  const real top = *std::max_element(logits.begin(), logits.end());
  real sum = 0;
  for (auto& logit : logits) logit = vmath::exp(logit - top);
  for (const real part : logits) sum += part;
  for (auto& part : logits) part /= sum;
}

void columns(View logits, std::size_t stride, std::size_t count, std::size_t classes) {
  // Records side by side in a fixed number of lanes; what lies behind the last one is not used.
  constexpr std::size_t lanes = 8;
  for (std::size_t first = 0; first < count; first += lanes) {
    const std::size_t width = std::min(lanes, count - first);
    real top[lanes];
    real sum[lanes] = {};
    std::fill_n(top, lanes, std::numeric_limits<real>::lowest());
    for (std::size_t c = 0; c < classes; ++c) {
      const real* row = logits.data() + c * stride + first;
      for (std::size_t l = 0; l < width; ++l) top[l] = std::max(top[l], row[l]);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      real* row = logits.data() + c * stride + first;
      for (std::size_t l = 0; l < width; ++l) {
        row[l] = vmath::exp(row[l] - top[l]);
        sum[l] += row[l];
      }
    }
    for (std::size_t c = 0; c < classes; ++c) {
      real* row = logits.data() + c * stride + first;
      for (std::size_t l = 0; l < width; ++l) row[l] /= sum[l];
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

void softmax_columns(View logits, std::size_t stride, std::size_t count, std::size_t classes) {
  HWY_DYNAMIC_DISPATCH(columns)(logits, stride, count, classes);
}

}  // namespace trilemma
#endif
