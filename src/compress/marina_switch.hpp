#pragma once

#include "compress/compressor.hpp"

namespace trilemma {

/// A compressor that sends everything in rounds in which a coin of this probability falls
/// (common_coin), the same for all clients, and what `other` sends in the others; `other` itself
/// where that sends everything. Throws UserError where it does not draw its coordinates before it
/// sees the vector.
std::unique_ptr<Compressor> marina_switch(std::unique_ptr<Compressor> other, double probability);

}  // namespace trilemma
