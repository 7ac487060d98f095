#pragma once
// Random signs of coordinates under a keyed mask: the messages of CSGM (Chen, Song, Ozgur and
// Kairouz 2304.01541, algorithm 1).

#include "compress/compressor.hpp"
#include "privacy/joint.hpp"

namespace trilemma {

/// Returns the compressor that sends each coordinate with probability gamma, its own coin of client
/// and round, as the sign +1 with probability 1/2 + y / (2c), otherwise -1, for y the coordinate
/// clipped to [-c, c]. A sign s is decoded as s c / gamma, which makes the vector unbiased. Both
/// ends draw the mask, so a message has one bit for each coordinate in it and nothing else. Vectors
/// have norm at most `norm`.
std::unique_ptr<Compressor> make_masked_signs(const MaskedSigns& signs, std::size_t dimension,
                                              double norm);

}  // namespace trilemma
