#pragma once
// Counts of positive ratios by size, whose sums over ranks are exact in any order.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace trilemma {

/// Counts ratios in two classes per octave from 1/16 to 128, whose middle differs from their ratios
/// by at most 1/4; a first and a last class hold all smaller and all larger ratios.
struct RatioHistogram {
  static constexpr int octaves = 11;
  static constexpr int first_octave = -4;
  static constexpr int mantissa_bits = 1;  ///< classes of an octave: 2^1
  static constexpr int inner_classes = octaves << mantissa_bits;
  static constexpr int classes = inner_classes + 2;
  static constexpr double least = 1.0 / 16;  ///< 2^first_octave
  static constexpr double most = 128;        ///< least 2^octaves
  std::array<std::uint64_t, classes> count{};

  /// Returns the class of `ratio`, which is not negative. The leading bits of a double are its
  /// exponent and the class within the octave.
  static std::size_t index(double ratio) {
    constexpr int bits_of_fraction = 52;
    constexpr std::int64_t first = std::int64_t{1023 + first_octave} << mantissa_bits;
    const auto leading = std::bit_cast<std::int64_t>(ratio) >> (bits_of_fraction - mantissa_bits);
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(leading - first + 1, 0, std::int64_t{classes} - 1));
  }
  void add(double ratio) { ++count[index(ratio)]; }

  /// Returns the middle of the class that holds the median of the counted ratios, the smaller one
  /// of two; `least` and `most` stand for all smaller and all larger ratios. NaN without ratios.
  static double median(std::span<const double> counts) {
    double all = 0;
    for (const double n : counts) all += n;
    double below = 0;
    for (std::size_t i = 0; all > 0 && i < counts.size(); ++i)
      if ((below += counts[i]) >= 0.5 * all) return middle(i);
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  static double middle(std::size_t i) {
    if (i == 0) return least;
    if (i == classes - 1U) return most;
    constexpr std::size_t per_octave = std::size_t{1} << mantissa_bits;
    const std::size_t inner = i - 1;
    const double within = 1 + (static_cast<double>(inner % per_octave) + 0.5) / per_octave;
    return std::ldexp(within, static_cast<int>(inner / per_octave) + first_octave);
  }
};

}  // namespace trilemma
