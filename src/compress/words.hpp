#pragma once
// The messages of joint mechanisms: integers modulo 2^b, whose sums are taken modulo 2^b, and
// answers of few bits.

#include "compress/compressor.hpp"
#include "privacy/secure_sum.hpp"
#include "privacy/sqkr.hpp"

namespace trilemma {

/// Returns the compressor that sends a vector of integers in [-2^(b-1), 2^(b-1)) in `bits` bits
/// each, b = `bits`, with the `masks` of the client and round of the key, or unchanged without. The
/// mechanism in front of it has reduced them.
std::unique_ptr<Compressor> make_words(std::size_t dimension, unsigned bits,
                                       std::shared_ptr<PairMasks> masks = nullptr);

/// Returns the compressor that sends the k signs which the mechanism sqkr with the same options
/// releases, in one bit each, and restores the vector that they represent. The coordinates for
/// which they answer are those of the key, at both ends; by own_coins they are sent in log2 D bits
/// each.
std::unique_ptr<Compressor> make_answers(std::size_t dimension, const SqkrOptions& options);

}  // namespace trilemma
