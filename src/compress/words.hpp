#pragma once
// Integers modulo 2^b, the messages of mechanisms whose sums are taken modulo 2^b.

#include "compress/compressor.hpp"
#include "privacy/secure_sum.hpp"

namespace trilemma {

/// Returns the compressor that sends a vector of integers in [-2^(b-1), 2^(b-1)) in `bits` bits
/// each, b = `bits`, with the `masks` of the client and round of the key, or unchanged without. The
/// mechanism in front of it has reduced them.
std::unique_ptr<Compressor> make_words(std::size_t dimension, unsigned bits,
                                       std::shared_ptr<PairMasks> masks = nullptr);

}  // namespace trilemma
