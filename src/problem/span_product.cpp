#include "problem/span_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/span_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// Eight lanes, in one register or in a few: the same sums for every width.
using Registers = hn::CappedTag<real, span_lanes>;
using Register = hn::Vec<Registers>;
constexpr std::size_t lane_width = std::min(span_lanes, HWY_MAX_BYTES / sizeof(real));
constexpr std::size_t groups = span_lanes / lane_width;

}  // namespace

void subtract(const real* products, std::size_t m, std::size_t width, const real* sum,
              std::size_t outputs, real rate, real* z) {
  const Registers registers;
  const Register step = hn::Set(registers, rate);
  for (std::size_t b = 0; b < width; b += span_lanes)
    for (std::size_t o = 0; o < outputs; o += span_group) {
      const real* row = sum + o * width;
      Register part[span_group][groups];
      for (auto& one : part)
        for (auto& group : one) group = hn::Zero(registers);
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t g = 0; g < groups; ++g) {
          const Register product = hn::LoadU(registers, products + k * width + b + g * lane_width);
          for (std::size_t i = 0; i < span_group; ++i)
            part[i][g] = hn::MulAdd(hn::Set(registers, row[i * width + k]), product, part[i][g]);
        }
      for (std::size_t i = 0; i < span_group; ++i)
        for (std::size_t g = 0; g < groups; ++g) {
          real* const to = z + (o + i) * width + b + g * lane_width;
          hn::StoreU(hn::NegMulAdd(step, part[i][g], hn::LoadU(registers, to)), registers, to);
        }
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
