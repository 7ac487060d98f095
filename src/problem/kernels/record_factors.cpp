#include "problem/kernels/record_factors.hpp"

#include <limits>

#include "numeric/vmath.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/record_factors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Loads factors as double.
template <class Tag>
HWY_INLINE hn::Vec<Tag> load(Tag tag, const real* from) {
  if constexpr (sizeof(real) == sizeof(double))
    return hn::LoadU(tag, from);
  else
    return hn::PromoteTo(tag, hn::LoadU(hn::Rebind<real, Tag>(), from));
}

// Rounds values to factors.
template <class Tag>
HWY_INLINE auto rounded(Tag, hn::Vec<Tag> value) {
  if constexpr (sizeof(real) == sizeof(double))
    return value;
  else
    return hn::DemoteTo(hn::Rebind<real, Tag>(), value);
}

// Clips the factors in the lanes of `Tag`.
template <class Tag>
class Clipper {
 public:
  Clipper(double threshold, bool is_smooth)
      : threshold_(hn::Set(tag_, threshold)), is_smooth_(is_smooth) {}

  HWY_INLINE void clip(const double* length, real* factor) {
    const auto one = hn::Set(tag_, 1.0);
    const auto lengths = hn::LoadU(tag_, length);
    const auto old = load(tag_, factor);
    const auto norm = hn::Mul(hn::Abs(old), lengths);
    const auto weight =
        is_smooth_ ? hn::Div(threshold_, hn::Add(threshold_, norm))
                   : hn::IfThenElse(hn::Le(norm, threshold_), one, hn::Div(threshold_, norm));
    const auto is_normal = hn::Ge(weight, hn::Set(tag_, std::numeric_limits<double>::min()));
    const Factors factors;
    auto now = rounded(tag_, hn::IfThenElseZero(is_normal, hn::Mul(old, weight)));
    now = hn::IfThenZeroElse(hn::Lt(hn::Abs(now), hn::Set(factors, smallest_factor)), now);
    hn::StoreU(now, factors, factor);
    const auto is_finite = hn::Le(norm, hn::Set(tag_, std::numeric_limits<double>::max()));
    not_finite_ += hn::MaxLanes(tag_) - hn::CountTrue(tag_, is_finite);
    clipped_ += hn::CountTrue(tag_, hn::And(hn::Gt(norm, threshold_), is_finite));
    before_ = larger(before_, norm);
    after_ = larger(after_, hn::Mul(hn::Abs(load(tag_, factor)), lengths));
    is_changed_ = is_changed_ || !hn::AllTrue(tag_, hn::Eq(weight, one));
  }
  double before() const { return hn::GetLane(hn::MaxOfLanes(tag_, before_)); }
  double after() const { return hn::GetLane(hn::MaxOfLanes(tag_, after_)); }
  std::size_t not_finite() const { return not_finite_; }
  std::size_t clipped() const { return clipped_; }
  bool is_changed() const { return is_changed_; }

 private:
  using Factors = hn::Rebind<real, Tag>;

  // Returns the larger value, `most` where the other one is NaN.
  static HWY_INLINE hn::Vec<Tag> larger(hn::Vec<Tag> most, hn::Vec<Tag> value) {
    return hn::IfThenElse(hn::Lt(most, value), value, most);
  }

  Tag tag_;
  hn::Vec<Tag> threshold_;
  hn::Vec<Tag> before_ = hn::Set(tag_, -std::numeric_limits<double>::infinity());
  hn::Vec<Tag> after_ = before_;
  bool is_smooth_;
  bool is_changed_ = false;
  std::size_t not_finite_ = 0;
  std::size_t clipped_ = 0;
};

}  // namespace

void logistic(const std::int32_t* label, std::int32_t scale, std::int32_t shift, double* margin,
              View factor) {
  for (std::size_t i = 0; i < factor.size(); ++i) {
    const auto sign = static_cast<double>(scale * label[i] + shift);
    margin[i] *= sign;
    factor[i] = static_cast<real>(-sign * (1.0 / (1.0 + vmath::exp(margin[i]))));
  }
}

NormsOfFactors clipped(const double* length, double threshold, bool is_smooth, View factor) {
  const hn::ScalableTag<double> tag;
  Clipper<hn::ScalableTag<double>> whole(threshold, is_smooth);
  Clipper<hn::CappedTag<double, 1>> single(threshold, is_smooth);
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= factor.size(); i += hn::Lanes(tag))
    whole.clip(length + i, factor.data() + i);
  for (; i < factor.size(); ++i) single.clip(length + i, factor.data() + i);
  NormsOfFactors found;
  found.not_finite = whole.not_finite() + single.not_finite();
  found.clipped = whole.clipped() + single.clipped();
  // Without a clipped gradient, factors that became 0 count with their norms.
  const bool is_changed = whole.is_changed() || single.is_changed();
  found.largest = is_changed ? std::max(whole.after(), single.after())
                             : std::max(whole.before(), single.before());
  return found;
}

void weighed(const real* factor, double weight, real value, View out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const real c = static_cast<real>(static_cast<double>(factor[i]) * weight);
    const real product = c * value;
    out[i] = c == 0 ? real{0} : product;
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(logistic);
HWY_EXPORT(clipped);
HWY_EXPORT(weighed);

void logistic_factors(std::span<const std::int32_t> label, std::int32_t scale, std::int32_t shift,
                      std::span<double> margin, View factor) {
  HWY_DYNAMIC_DISPATCH(logistic)(label.data(), scale, shift, margin.data(), factor);
}

NormsOfFactors clip_factors(std::span<const double> length, double threshold, bool is_smooth,
                            View factor) {
  return HWY_DYNAMIC_DISPATCH(clipped)(length.data(), threshold, is_smooth, factor);
}

void weigh_factors(ConstView factor, double weight, real value, View out) {
  HWY_DYNAMIC_DISPATCH(weighed)(factor.data(), weight, value, out);
}

}  // namespace trilemma
#endif
