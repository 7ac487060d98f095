#pragma once

#include "compress/compressor.hpp"

namespace trilemma {

/// Returns a compressor that sends the whole vector in rounds in which a coin with this probability
/// comes up (common_coin, the same for all clients), and C(z) of `other` in all other rounds;
/// returns `other` itself if that always sends everything. Throws UserError unless `other` is
/// oblivious.
std::unique_ptr<Compressor> marina_switch(std::unique_ptr<Compressor> other, double probability);

}  // namespace trilemma
