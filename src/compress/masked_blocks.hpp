#pragma once
// Blocks of coordinates under a keyed mask: the messages of PREAMBLE (Asi, Feldman, Keller,
// Rothblum and Talwar, 2503.11897) with an independent coin for every block.

#include "compress/compressor.hpp"
#include "privacy/joint.hpp"

namespace trilemma {

/// Returns the compressor that sends each block with probability gamma, its own coin of client and
/// round, clipped to its bound and divided by gamma, which makes the clipped vector unbiased. Both
/// ends draw the mask, so a message has the values of its blocks and nothing else. Vectors have
/// norm at most `norm`.
std::unique_ptr<Compressor> make_masked_blocks(const MaskedBlocks& blocks, std::size_t dimension,
                                               double norm);

}  // namespace trilemma
