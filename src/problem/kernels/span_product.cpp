#include "problem/kernels/span_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/span_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// Registers have at most eight lanes, so that a padded row is a whole number of registers.
using SpanTag = hn::CappedTag<real, span_lanes>;
using SpanPart = hn::Vec<SpanTag>;
constexpr std::size_t span_width = std::min<std::size_t>(span_lanes, HWY_LANES(real));

// Updates positions b, ..., b + side * span_width - 1 of rows o, ..., o + span_group - 1 of z:
// enough independent sums to hide the latency of additions.
template <std::size_t side>
HWY_INLINE void subtract_tile(const real* products, std::size_t m, std::size_t width,
                              const real* sum, real rate, real* z) {
  const SpanTag registers;
  SpanPart part[span_group][side];
  for (auto& row : part)
    for (auto& one : row) one = hn::Zero(registers);
  for (std::size_t k = 0; k < m; ++k) {
    SpanPart product[side];
    for (std::size_t g = 0; g < side; ++g)
      product[g] = hn::LoadU(registers, products + k * width + g * span_width);
    for (std::size_t i = 0; i < span_group; ++i) {
      const SpanPart factor = hn::Set(registers, sum[i * width + k]);
      for (std::size_t g = 0; g < side; ++g)
        part[i][g] = hn::MulAdd(factor, product[g], part[i][g]);
    }
  }
  const SpanPart step = hn::Set(registers, rate);
  for (std::size_t i = 0; i < span_group; ++i)
    for (std::size_t g = 0; g < side; ++g) {
      real* const to = z + i * width + g * span_width;
      hn::StoreU(hn::NegMulAdd(step, part[i][g], hn::LoadU(registers, to)), registers, to);
    }
}

}  // namespace

void subtract(const real* products, std::size_t m, std::size_t width, const real* sum,
              std::size_t outputs, real rate, real* z) {
  for (std::size_t o = 0; o < outputs; o += span_group) {
    const real* const rows = sum + o * width;
    real* const to = z + o * width;
    std::size_t b = 0;
    for (; b + 2 * span_width <= width; b += 2 * span_width)
      subtract_tile<2>(products + b, m, width, rows, rate, to + b);
    for (; b < width; b += span_width) subtract_tile<1>(products + b, m, width, rows, rate, to + b);
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(subtract);

void subtract_products(const real* products, std::size_t m, std::size_t width, const real* sum,
                       std::size_t outputs, real rate, real* z) {
  HWY_DYNAMIC_DISPATCH(subtract)(products, m, width, sum, outputs, rate, z);
}

}  // namespace trilemma
#endif
