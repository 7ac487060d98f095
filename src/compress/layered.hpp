#pragma once
// The shifted layered quantiser (Hegazy, Leluc, Li and Dieuleveut 2310.20682): messages of integers
// whose decoding error is Gaussian noise, independent of the vector.

#include "compress/compressor.hpp"

namespace trilemma {

/// Clipping, noise and dimension of the quantiser.
struct LayeredTask {
  std::size_t dimension = 0;
  double limit = 1;  ///< c: coordinates are clipped to [-c, c]
  double sigma = 1;  ///< s: standard deviation of the noise in a coordinate
};

/// Returns the compressor whose decoded vector is clip(z, -c, c) + N(0, s^2 I). Both ends draw
/// three normal numbers n and a uniform number U for a coordinate from the key. With r = ||n|| s
/// and r' = s sqrt(-2 log(1 - exp(-r^2 / (2 s^2)))), the error is uniform on [-r', r] if n_1 > 0
/// and on [-r, r'] otherwise, an interval of length `step` around `mid`, which mixes to N(0, s^2):
/// exp(-r^2 / (2 s^2)) is U_1 exp(-g^2 / 2) of the paper for g = n_1. Sent is
///
///     M = floor(x / step - U + 1/2), decoded as (M + U) step + mid,
///
/// minus its least value at -c, in as many bits as the number of values requires: none where there
/// is one. step >= 2.35 s. Because the shared numbers determine the sizes, messages carry none, and
/// whoever knows these numbers sees x to within a step. Requires c / s < 2^29.
std::unique_ptr<Compressor> make_layered(const LayeredTask& task);

}  // namespace trilemma
