#include "local/record_gradients.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma {

View RecordGradients::compute(ConstView x) {
  const std::size_t width = problem_.factors();
  const std::size_t count = batch_.rows.size();
  if (factors_.size() < count * width) factors_.resize(count * width);
  const View factors = View(factors_).first(count * width);
  problem_.linearise(batch_, x, factors, false);
  if (std::isinf(threshold_)) return factors;
  norm_.resize(count);
  problem_.norms(batch_, factors, norm_);
  bool scaled = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (norm_[i] <= threshold_) continue;
    problem_.scale(factors.subspan(i * width, width), threshold_ / norm_[i]);
    scaled = true;
  }
  if (largest_ == nullptr) return factors;
  // Measured again, so that the record shows what was sent on and not what was meant.
  if (scaled) problem_.norms(batch_, factors, norm_);
  for (std::size_t i = 0; i < count; ++i) *largest_ = std::max(*largest_, norm_[i]);
  return factors;
}

void RecordGradients::add(const Dataset& shard, Coordinates rows, ConstView x, double weight,
                          View sum) {
  each_block(shard, rows, [&](std::size_t, std::size_t) { accumulate(compute(x), weight, sum); });
}

}  // namespace trilemma
