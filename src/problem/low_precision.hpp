#pragma once
// Training in low precision: LUQ (Chmiel, Banner, Hoffer, Ben Yaacov and Soudry 2021), as in
// FAVANO[QNN]. Products use quantised weights and activations (of hidden layers; data are not
// quantised), rounded to the nearest level, and quantised derivatives, rounded at random without
// bias. The model, its updates and messages stay in full precision. Derivatives ignore the rounding
// (straight-through estimator).

#include "numeric/random.hpp"
#include "problem/kernels/matrix.hpp"
#include "settings/reader.hpp"

namespace trilemma {

/// Precision in which a network computes.
struct LowPrecision {
  bool is_on = false;
  bool spares_ends = false;  ///< the first and the last layer compute in full precision
  int bits = 3;              ///< bits of weights and activations: 3 or 4

  /// Reads `quantise` of a problem with `layers` layers and, if it is on, `quantised_bits` and
  /// `quantised_layers`.
  void read(Reader& r, std::size_t layers);
  /// Returns whether layer `layer` of `layers` computes in low precision.
  bool covers(std::size_t layer, std::size_t layers) const {
    return is_on && !(spares_ends && (layer == 0 || layer + 1 == layers));
  }
  /// Returns a suffix for descriptions: ", luq, 3 bits" if on, otherwise empty.
  std::string text() const;
};

/// Returns the clip of statistics-aware weight binning (SAWB, Choi et al. 2019) for the values x:
/// c1 sqrt(mean x^2) + c2 mean |x| with (7.40, -6.66) for 3 bits and (11.86, -11.68) for 4.
double sawb_clip(ConstMatrixView x, int bits);

/// Rounds all values to the nearest of the levels q * scale with scale = 2 clip / (2^bits - 1) and
/// q from -2^(bits-1) to 2^(bits-1) - 1, or from 0 to 2^bits - 1 if `is_non_negative`; values
/// beyond the last level are rounded to it.
void quantise_levels(MatrixView x, int bits, bool is_non_negative);

/// Rounds derivatives to 0 and +-a 2^j, j = 0..6, a = max|g| / 2^6 (4 bits), at random without
/// bias. `part` distinguishes matrices that share `coins`; `words` is scratch. Rounds nothing if a
/// value is not finite.
void quantise_derivatives(MatrixView g, const Key& coins, std::uint32_t part,
                          std::vector<std::uint32_t>& words);

}  // namespace trilemma
