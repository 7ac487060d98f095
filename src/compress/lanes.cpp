#include "compress/lanes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "numeric/lanes.hpp"
#include "numeric/random.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compress/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

constexpr std::uint32_t infinite = 0x7F800000U;

}  // namespace

void fractions(std::uint32_t dropped, const std::uint32_t* words, View values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));
    const std::uint32_t rounded = (bits + (words[i] & dropped)) & ~dropped;
    const bool is_finite = (bits & infinite) != infinite;
    values[i] = static_cast<real>(std::bit_cast<float>(is_finite ? rounded : bits));
  }
}

void dithered(ConstView z, double steps, std::int32_t most, const std::uint32_t* words,
              std::int32_t* levels) {
  for (std::size_t i = 0; i < z.size(); ++i) {
    const auto x = static_cast<float>(std::abs(static_cast<double>(z[i])) * steps);
    const std::int32_t below = std::min(static_cast<std::int32_t>(x), most);
    const float rest = x - static_cast<float>(below);
    const std::int32_t level = std::min(below + (unit_float(words[i]) < rest ? 1 : 0), most);
    levels[i] = std::signbit(z[i]) ? -level : level;
  }
}

void scaled_levels(float step, const std::int32_t* levels, View values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<real>(step * static_cast<float>(levels[i]));
}

// Writes every candidate after the last one found, whether it counts or not, which avoids branches
// that are hard to predict.
std::size_t found_from(ConstView z, std::uint64_t least, std::uint32_t* out) {
  const auto bound = static_cast<SizePattern>(least);
  std::size_t found = 0;
  constexpr std::size_t block = 32;
  for (std::size_t first = 0; first < z.size(); first += block) {
    const ConstView some = z.subspan(first, std::min(block, z.size() - first));
    unsigned here = 0;  // blocks without any are common where few are sought
    for (const real value : some) here += size_pattern(value) >= bound ? 1U : 0U;
    if (here == 0) continue;
    for (std::size_t j = 0; j < some.size(); ++j) {
      out[found] = static_cast<std::uint32_t>(first + j);
      found += size_pattern(some[j]) >= bound ? 1U : 0U;
    }
  }
  return found;
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(fractions);
HWY_EXPORT(dithered);
HWY_EXPORT(scaled_levels);
HWY_EXPORT(found_from);

void round_fractions(std::uint32_t dropped, std::span<const std::uint32_t> words, View values) {
  HWY_DYNAMIC_DISPATCH(fractions)(dropped, words.data(), values);
}

void dither(ConstView z, double steps, std::int32_t most, std::span<const std::uint32_t> words,
            std::span<std::int32_t> levels) {
  HWY_DYNAMIC_DISPATCH(dithered)(z, steps, most, words.data(), levels.data());
}

void times_levels(float step, std::span<const std::int32_t> levels, View values) {
  HWY_DYNAMIC_DISPATCH(scaled_levels)(step, levels.data(), values);
}

std::size_t find_from(ConstView z, std::uint64_t least, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(found_from)(z, least, out);
}

}  // namespace trilemma
#endif
