#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "problem/kernels/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/low_precision_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

using Bits = std::conditional_t<sizeof(real) == 4, std::uint32_t, std::uint64_t>;
constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<real>::infinity());

}  // namespace

void levels(View x, real scale, real lowest, real highest) {
  for (real& value : x) {
    const real steps = value / scale;
    const real above = steps < lowest ? lowest : steps;
    value = scale * std::nearbyint(above > highest ? highest : above);
  }
}

// A magnitude below `least` is rounded to 0 or `least`, any other to the largest least 2^j that
// does not exceed it or to twice that. The coin is a number in (0, 1); the larger level is taken if
// the coin is below the relative position between the two levels.
void powers(View g, real least, const std::uint32_t* coins) {
  real* const value = g.data();
#pragma GCC ivdep  // coins have another type and cannot alias
  for (std::size_t v = 0; v < g.size(); ++v) {
    const real size = std::abs(value[v]);
    const auto signed_coin = static_cast<std::int32_t>(coins[v] ^ 0x80000000U);
    const double coin = (static_cast<double>(signed_coin) + 2147483648.5) * 0x1p-32;
    const real power = std::bit_cast<real>(std::bit_cast<Bits>(size / least) & exponent);
    const real low = size < least ? real{0} : least * power;
    const real step = size < least ? least : low;
    const bool goes_up = coin * static_cast<double>(step) < static_cast<double>(size - low);
    value[v] = std::copysign(goes_up ? low + step : low, value[v]);
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(levels);
HWY_EXPORT(powers);

void to_levels(View x, real scale, real lowest, real highest) {
  HWY_DYNAMIC_DISPATCH(levels)(x, scale, lowest, highest);
}

void to_powers(View g, real least, const std::uint32_t* coins) {
  HWY_DYNAMIC_DISPATCH(powers)(g, least, coins);
}

}  // namespace trilemma
#endif
