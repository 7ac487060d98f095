#pragma once
// Training with few bits: LUQ (Chmiel, Banner, Hoffer, Ben Yaacov and Soudry 2021), as in
// FAVANO[QNN]. Products see quantised weights and activations (of hidden layers; data stay whole),
// rounded to the nearest level, and quantised derivatives, rounded at random without bias; the
// model itself, what is added to it and what travels stay whole. Derivatives pass the rounding as
// if it were not there (straight-through).

#include "numeric/random.hpp"
#include "problem/kernels/matrix.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// How a network computes.
struct LowPrecision {
  bool is_on = false;
  bool spares_ends = false;  ///< the first and the last layer compute whole
  int bits = 3;              ///< of weights and activations: 3 or 4

  /// Whether layer number `layer` of so many has few bits.
  bool covers(std::size_t layer, std::size_t layers) const {
    return is_on && !(spares_ends && (layer == 0 || layer + 1 == layers));
  }
  /// ", luq, 3 bits" where it is on, for descriptions.
  std::string text() const;
};

/// Reads `quantise` of a problem with so many layers, and where that is on `quantised_bits` and
/// `quantised_layers`.
LowPrecision read_low_precision(Settings& problem, std::size_t layers);
/// Names these two keys.
void declare_low_precision(Settings& problem);

/// The clip of statistics-aware weight binning (SAWB, Choi et al. 2019) for these values:
/// c1 sqrt(mean x^2) + c2 mean |x| with (7.40, -6.66) for 3 bits and (11.86, -11.68) for 4.
double sawb_clip(ConstMatrixView x, int bits);

/// Rounds all values to the nearest of the levels q scale, scale = 2 clip / (2^bits - 1), q from
/// -2^(bits-1) to 2^(bits-1) - 1, or from 0 to 2^bits - 1 if none is negative; what is beyond the
/// last level becomes it.
void quantise_levels(MatrixView x, int bits, bool is_non_negative);

/// Rounds derivatives to 0 and +-a 2^j, j = 0..6, a = max|g| / 2^6 (4 bits), at random without
/// bias. `part` tells apart what shares the coins; `words` is scratch. Nothing is rounded where a
/// value is not finite.
void quantise_derivatives(MatrixView g, const Key& coins, std::uint32_t part,
                          std::vector<std::uint32_t>& words);

}  // namespace trilemma
