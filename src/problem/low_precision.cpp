#include "problem/low_precision.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace trilemma {
namespace {

constexpr int highest_power = 6;  // J

// The largest power of two that is not above a normal number.
real power_below(real value) {
  using Bits = std::conditional_t<sizeof(real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<real>::infinity());
  return std::bit_cast<real>(std::bit_cast<Bits>(value) & exponent);
}

real largest_size(const MatrixView& g) {
  real most = 0;
  bool is_finite = true;
  for (Eigen::Index r = 0; r < g.rows(); ++r)
    for (Eigen::Index c = 0; c < g.cols(); ++c) {
      const real size = std::abs(g(r, c));
      most = size > most ? size : most;
      is_finite = is_finite && size <= std::numeric_limits<real>::max();
    }
  return is_finite ? most : std::numeric_limits<real>::infinity();
}

// One of the two levels around a size, with the mean of the size; `least` is a, `word` the coin.
real rounded(real size, real least, std::uint32_t word) {
  const double coin = (static_cast<double>(word) + 0.5) * 0x1p-32;
  if (size < least)
    return coin * static_cast<double>(least) < static_cast<double>(size) ? least : 0;
  const real low = least * power_below(size / least);
  return coin * static_cast<double>(low) < static_cast<double>(size - low) ? 2 * low : low;
}

}  // namespace

std::string LowPrecision::text() const {
  if (!is_on) return "";
  return fmt::format(", {} bits{}", bits, spares_ends ? " within" : "");
}

LowPrecision read_low_precision(Settings& problem, std::size_t layers) {
  LowPrecision low;
  low.is_on = problem.choice("quantise", "none", {"none", "luq"},
                             "compute with few bits: luq = weights and activations to levels, "
                             "derivatives to powers of two at random (4 bits)") == "luq";
  low.bits = static_cast<int>(problem.integer("quantised_bits", 3, {.low = 3, .high = 4},
                                              "of weights and activations, for quantise = luq"));
  low.spares_ends = problem.choice("quantised_layers", "all", {"all", "inner"},
                                   "inner = the first and the last layer compute whole") == "inner";
  for (const char* key : {"quantise", "quantised_bits", "quantised_layers"})
    problem.omit_at_default(key);
  if (low.is_on && low.spares_ends && layers < 3)
    problem.refuse("quantised_layers", fmt::format("{} layers have none between the first and the "
                                                   "last; choose all",
                                                   layers));
  return low;
}

double sawb_clip(ConstMatrixView x, int bits) {
  double squares = 0;
  double sizes = 0;
  for (Eigen::Index r = 0; r < x.rows(); ++r)
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      const auto value = static_cast<double>(x(r, c));
      squares += value * value;
      sizes += std::abs(value);
    }
  const auto count = static_cast<double>(x.size());
  const double first = bits == 3 ? 7.40 : 11.86;
  const double second = bits == 3 ? -6.66 : -11.68;
  return count == 0 ? 0 : first * std::sqrt(squares / count) + second * (sizes / count);
}

void quantise_levels(MatrixView x, int bits, bool is_non_negative) {
  const int levels = (1 << bits) - 1;
  const real lowest = is_non_negative ? 0 : static_cast<real>(-(1 << (bits - 1)));
  const real highest = lowest + static_cast<real>(levels);
  const ConstMatrixView values(x.data(), x.rows(), x.cols(), Eigen::OuterStride<>(x.outerStride()));
  const auto scale = static_cast<real>(2 * sawb_clip(values, bits) / static_cast<double>(levels));
  if (!(scale > 0)) return;
  for (Eigen::Index r = 0; r < x.rows(); ++r)
    for (Eigen::Index c = 0; c < x.cols(); ++c)
      x(r, c) = scale * std::nearbyint(std::clamp(x(r, c) / scale, lowest, highest));
}

void quantise_derivatives(MatrixView g, const Key& coins, std::uint32_t part,
                          std::vector<std::uint32_t>& words) {
  const real least = largest_size(g) * static_cast<real>(1.0 / (1 << highest_power));
  if (!(least > 0) || !std::isfinite(least)) return;
  words.resize(static_cast<std::size_t>(g.size()));
  Key own = coins;
  own.seed += (std::uint64_t{part} + 1) << 32U;
  random_words(own, 0, words);
  std::size_t number = 0;
  for (Eigen::Index r = 0; r < g.rows(); ++r)
    for (Eigen::Index c = 0; c < g.cols(); ++c)
      g(r, c) = std::copysign(rounded(std::abs(g(r, c)), least, words[number++]), g(r, c));
}

}  // namespace trilemma
