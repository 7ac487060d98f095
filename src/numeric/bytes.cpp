#include "numeric/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/bytes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

// This file is compiled without fused multiply-adds, which would round once instead of twice.
void from_byte(const std::uint8_t* from, real factor, real offset, View out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = factor * static_cast<real>(from[i]) + offset;
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(from_byte);

void from_bytes(std::span<const std::uint8_t> from, real factor, real offset, View out) {
  HWY_DYNAMIC_DISPATCH(from_byte)(from.data(), factor, offset, out);
}

}  // namespace trilemma
#endif
